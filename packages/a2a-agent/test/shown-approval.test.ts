import { create } from '@bufbuild/protobuf';
import { views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { approvalParts } from '../src/approval-message.ts';
import { shownApproval } from '../src/task.ts';

test.each([
  ['', []],
  ['{"sum":5}', [{ sum: 5 }]],
])('arguments %j are shown as they are, and as nothing if they are not known', (argumentsJson, shown) => {
  const approval = create(views.ApprovalSchema, { id: 'x', tool: 'pay', argumentsJson });
  const data = approvalParts([shownApproval(approval)]).flatMap(({ content }) =>
    content?.$case === 'data' ? [content.value as { readonly arguments?: unknown }] : [],
  );
  expect(data.flatMap((one) => ('arguments' in one ? [one.arguments] : []))).toEqual(shown);
});
