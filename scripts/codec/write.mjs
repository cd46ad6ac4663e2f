// Prints the functions that encode messages.
import { ScalarType } from '@bufbuild/protobuf';
import { isImplicit, kindOf, SCALARS, scalarOf, tagOf } from './fields.mjs';

/** Prints the function that writes a message, its fields in the order of their numbers. */
export function printWrite(prints, message) {
  const { output, runtime, nameOf } = prints;
  const left = runtime('LeftToLibrary', 'writer');
  output.print(
    output.export('function', nameOf('write', message)),
    '(writer: ',
    runtime('Writer', 'writer', true),
    ', message: ',
    output.importShape(message),
    '): void {',
  );
  if (message.fields.length > 0) {
    output.print('  if (message.$typeName !== ', JSON.stringify(message.typeName), ') throw new ', left, '();');
  }
  for (const run of runsOf(message)) {
    if (run[0].oneof === undefined) printField(prints, run[0]);
    else printOneof(prints, run);
  }
  output.print('  if (message.$unknown != null) writer.unknown(message.$unknown);');
  output.print('}');
  output.print();
}

/** The fields in order, those together that follow each other and belong to the same oneof. */
function runsOf(message) {
  const runs = [];
  for (const field of message.fields.toSorted((one, other) => one.number - other.number)) {
    const last = runs.at(-1);
    if (field.oneof !== undefined && last?.[0].oneof === field.oneof) last.push(field);
    else runs.push([field]);
  }
  return runs;
}

function printOneof(prints, fields) {
  const { output } = prints;
  const name = fields[0].oneof.localName;
  output.print('  switch (message.', name, '.case) {');
  for (const field of fields) {
    output.print('    case ', JSON.stringify(field.localName), ': {');
    printValue(prints, field, `message.${name}.value`, '      ');
    output.print('      break;');
    output.print('    }');
  }
  output.print('  }');
}

function printField(prints, field) {
  const { output } = prints;
  const value = `message.${field.localName}`;
  if (field.fieldKind === 'list') printList(prints, field, value);
  else if (field.fieldKind === 'map') printMap(prints, field, value);
  else if (field.scalar === ScalarType.BYTES && isImplicit(field)) {
    output.print('  writer.someBytes(', tagOf(field, 2), ', ', value, ');');
  } else {
    output.print('  if (', isSet(field, value), ') {');
    printValue(prints, field, value, '    ');
    output.print('  }');
  }
}

/** The library compares loosely where numbers may come as something else. */
function isSet(field, value) {
  if (!isImplicit(field)) return `${value} !== undefined`;
  if (field.fieldKind === 'enum') return `(${value} as number) !== 0`;
  if (field.scalar === ScalarType.DOUBLE || field.scalar === ScalarType.FLOAT) return `!Object.is(${value}, 0)`;
  const { zero } = scalarOf(field);
  return `${value} ${zero.startsWith('0') ? '!=' : '!=='} ${zero}`;
}

/** Writes one value: of a field that is set, of an item of a list, of a map's value. */
function printValue({ output, functionOf }, field, value, indent, number = field.number) {
  if (kindOf(field) === 'message') {
    output.print(indent, 'const begin = writer.fork(', tagOf({ number }, 2), ');');
    output.print(indent, functionOf('write', field.message), '(writer, ', value, ');');
    output.print(indent, 'writer.join(begin);');
  } else {
    const { method, wireType } = scalarOf(field);
    output.print(indent, 'writer.', method, '(', tagOf({ number }, wireType), ', ', value, ');');
  }
}

function printList(prints, field, value) {
  const { output } = prints;
  if (field.packed) {
    output.print('  if (', value, '.length > 0) {');
    output.print('    const begin = writer.fork(', tagOf(field, 2), ');');
    output.print('    for (const one of ', value, ') writer.', scalarOf(field).method, '(0, one);');
    output.print('    writer.join(begin);');
    output.print('  }');
    return;
  }
  output.print('  for (const one of ', value, ') {');
  printValue(prints, field, 'one', '    ');
  output.print('  }');
}

function printMap(prints, field, value) {
  const { output, runtime } = prints;
  const { method, wireType, zero } = SCALARS.get(field.mapKey);
  const key = {
    string: ['key'],
    boolean: [runtime('boolKey', 'keys'), '(key)'],
    number: [runtime('numberKey', 'keys'), '(key)'],
    bigint: [runtime('bigKey', 'keys'), '(key)'],
  }[{ "''": 'string', false: 'boolean', 0: 'number', '0n': 'bigint' }[zero]];
  output.print('  for (const [key, one] of Object.entries(', value, ')) {');
  output.print('    const entry = writer.fork(', tagOf(field, 2), ');');
  output.print('    writer.', method, '(', tagOf({ number: 1 }, wireType), ', ', ...key, ');');
  printValue(prints, field, 'one', '    ', 2);
  output.print('    writer.join(entry);');
  output.print('  }');
}
