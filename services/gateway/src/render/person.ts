import { roleFromWire } from '@stopgo/core';
import type { views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { rfc3339 } from './time.ts';

/** A user as clients are shown them. */
export function renderUser(user: views.User | undefined): Answer {
  return {
    id: user?.id,
    email: user?.email,
    name: user?.name,
    role: user === undefined ? undefined : roleFromWire(user.role),
    active: user?.active,
    groups: user?.groups,
    created_at: rfc3339(user?.createdAt),
    last_login_at: rfc3339(user?.lastSignInAt) ?? null,
  };
}

/** An API key as clients are shown it: never the key. */
export function renderApiKey(key: views.ApiKey | undefined): Answer {
  return {
    id: key?.id,
    name: key?.name,
    prefix: key?.prefix,
    scopes: key?.scopes,
    created_at: rfc3339(key?.createdAt),
    expires_at: rfc3339(key?.expiresAt) ?? null,
    revoked_at: rfc3339(key?.revokedAt) ?? null,
    last_used_at: rfc3339(key?.lastUsedAt) ?? null,
  };
}
