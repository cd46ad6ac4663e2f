// Prints the functions that make messages: one without anything in it, and one from what is given.
import { ScalarType } from '@bufbuild/protobuf';
import { isImplicit, kindOf, scalarOf } from './fields.mjs';

/** Prints the function that makes a message as it is before anything is read. */
export function printZero({ output, nameOf }, message) {
  const members = message.members.filter((member) => member.kind === 'oneof' || isImplicit(member));
  output.print(output.export('function', nameOf('zero', message)), '(): ', output.importShape(message), ' {');
  output.print('  return {');
  output.print('    $typeName: ', JSON.stringify(message.typeName), ',');
  for (const member of members) output.print('    ', member.localName, ': ', zeroOf(member), ',');
  output.print('  };');
  output.print('}');
  output.print();
}

/** What a member is before it is set. */
function zeroOf(member) {
  if (member.kind === 'oneof') return '{ case: undefined }';
  if (member.fieldKind === 'list') return '[]';
  if (member.fieldKind === 'map') return '{}';
  return scalarOf(member).zero;
}

/** Prints the function that makes a message from some of its members, which may be incomplete themselves. */
export function printCreate(prints, message) {
  const { output, nameOf, runtime } = prints;
  const given = message.members.length === 0 ? '_given' : 'given';
  output.print(
    output.export('function', nameOf('create', message)),
    '(',
    given,
    ': ',
    runtime('Given', 'codec', true),
    '): ',
    output.importShape(message),
    ' {',
  );
  output.print('  const message = ', nameOf('zero', message), '();');
  for (const member of message.members) {
    const name = member.localName;
    if (member.kind === 'oneof') printOneof(prints, member);
    else
      output.print(
        '  if (given.',
        name,
        ' != null) message.',
        name,
        ' = ',
        ...made(prints, member, `given.${name}`),
        ';',
      );
  }
  output.print('  return message;');
  output.print('}');
  output.print();
}

function printOneof(prints, oneof) {
  const { output } = prints;
  output.print('  if (given.', oneof.localName, ' != null) {');
  output.print('    const { case: name, value } = given.', oneof.localName, ';');
  output.print('    switch (name) {');
  for (const field of oneof.fields) {
    const name = JSON.stringify(field.localName);
    output.print('      case ', name, ':');
    output.print(
      '        message.',
      oneof.localName,
      ' = { case: ',
      name,
      ', value: ',
      ...made(prints, field, 'value'),
      ' };',
    );
    output.print('        break;');
  }
  output.print('    }');
  output.print('  }');
}

/** What becomes of a value that is given. */
function made({ functionOf, runtime }, field, value) {
  const ofMessage = kindOf(field) === 'message';
  const ofBytes = field.scalar === ScalarType.BYTES;
  const one = ofMessage ? functionOf('create', field.message) : ofBytes ? runtime('toBytes', 'made') : undefined;
  if (one === undefined) return [value];
  const typeName = ofMessage ? [', ', JSON.stringify(field.message.typeName)] : [];
  const to = { list: ofMessage ? 'toMessages' : 'toList', map: ofMessage ? 'toMessageMap' : 'toMap' }[field.fieldKind];
  if (to !== undefined) return [runtime(to, 'made'), '(', value, ', ', one, ...typeName, ')'];
  return ofMessage ? [runtime('toMessage', 'made'), '(', value, ', ', one, ...typeName, ')'] : [one, '(', value, ')'];
}
