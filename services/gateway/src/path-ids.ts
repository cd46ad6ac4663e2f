import { DomainError, isUuid, notFound, visibleText } from '@stopgo/core';
import type { Request } from 'express';
import { echoCharactersMax } from './bounds.ts';

/**
 * The conversation that the path names, in lower case.
 *
 * @throws DomainError `not_found` for anything that is no UUID: there is no such conversation.
 */
export function conversationIdOf(req: Request): string {
  return uuidParam(req, 'id', conversationNotFound);
}

/** As {@link conversationIdOf}, for approvals. */
export function approvalIdOf(req: Request): string {
  return uuidParam(req, 'uuid', approvalNotFound);
}

/** As {@link conversationIdOf}, for the question of a tool server. */
export function inputIdOf(req: Request): string {
  return uuidParam(req, 'input', inputNotFound);
}

/** As {@link conversationIdOf}, for an approval that stands for the rest of a conversation. */
export function standingIdOf(req: Request): string {
  return uuidParam(req, 'standing', standingNotFound);
}

/** The step that the path names. @throws DomainError `not_found` for what is none, or longer than any that there is. */
export function stepIdOf(req: Request): string {
  const given = req.params.step;
  const id = typeof given === 'string' ? given : '';
  if (id.length > stepCharactersMax || !/^[\w/#.[\]]+$/.test(id)) throw notFound(`no such step: ${echo(id)}`);
  return id;
}

/** Agents may call one below another a hundred times. */
const stepCharactersMax = 4_096;

const standingNotFound = (id: string): DomainError => notFound(`no such standing approval: ${echo(id)}`);
const inputNotFound = (id: string): DomainError => notFound(`no such question: ${echo(id)}`);
export const conversationNotFound = (id: string): DomainError => notFound(`conversation not found: ${echo(id)}`);
export const approvalNotFound = (id: string): DomainError =>
  notFound(`no conversation found with approval UUID: ${echo(id)}`);

/**
 * The outcome of a call, with the gateway's own words, made when needed, if what it names does not exist. What else does not exist, such as an
 * agent, comes with a reason, and keeps its words.
 */
export async function orNotFound<T>(call: Promise<T>, absent: () => DomainError): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const isAbsent = error instanceof DomainError && error.kind === 'not_found' && error.details.reason === undefined;
    throw isAbsent ? absent() : error;
  }
}

function uuidParam(req: Request, name: string, absent: (id: string) => DomainError): string {
  const given = req.params[name];
  const id = typeof given === 'string' ? given : '';
  if (!isUuid(id.toLowerCase())) throw absent(id);
  return id.toLowerCase();
}

function echo(id: string): string {
  const shown = id.length > echoCharactersMax ? `${id.slice(0, echoCharactersMax)}…` : id;
  return visibleText(shown);
}
