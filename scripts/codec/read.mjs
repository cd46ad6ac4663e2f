// Prints the functions that decode messages.
import { kindOf, SCALARS, scalarOf, tagOf } from './fields.mjs';

/** Prints the function that reads a message that ends at a place, into one that may have been begun. */
export function printRead(prints, message) {
  const { output, runtime, nameOf } = prints;
  const shape = output.importShape(message);
  output.print(
    output.export('function', nameOf('read', message)),
    '(reader: ',
    runtime('Reader', 'reader', true),
    ', length: number, message: ',
    shape,
    '): ',
    shape,
    ' {',
  );
  output.print('  const end = reader.enter(length);');
  output.print('  let unknown = message.$unknown;');
  output.print('  while (reader.pos < end) {');
  output.print('    const tag = reader.tag();');
  if (message.fields.length > 0) {
    output.print('    switch (tag >>> 3) {');
    for (const field of message.fields) {
      output.print('      case ', field.number, ':');
      printField(prints, field);
      output.print('        break;');
    }
    output.print('      default:');
    output.print('        unknown = reader.unknown(tag, unknown);');
    output.print('    }');
  } else {
    output.print('    unknown = reader.unknown(tag, unknown);');
  }
  output.print('  }');
  output.print('  if (unknown !== undefined && unknown.length > 0) message.$unknown = unknown;');
  output.print('  reader.leave();');
  output.print('  return message;');
  output.print('}');
  output.print();
}

/** Whatever has another wire type than it should is left to the library, which reads it all the same. */
function printField(prints, field) {
  const { output } = prints;
  const value = `message.${field.localName}`;
  if (field.fieldKind === 'list') return printList(prints, field, value);
  const wireType = field.fieldKind === 'map' || kindOf(field) === 'message' ? 2 : scalarOf(field).wireType;
  printRefusal(prints, `tag !== ${tagOf(field, wireType)}`);
  if (field.fieldKind === 'map') return printMap(prints, field, value);
  if (field.oneof === undefined) {
    output.print('        ', value, ' = ', ...one(prints, field, [value, ' ?? ']), ';');
    return;
  }
  const [group, name] = [`message.${field.oneof.localName}`, JSON.stringify(field.localName)];
  const before = [group, '.case === ', name, ' ? ', group, '.value : '];
  output.print('        ', group, ' = { case: ', name, ', value: ', ...one(prints, field, before), ' };');
}

function printRefusal({ output, runtime }, condition) {
  output.print('        if (', condition, ') throw new ', runtime('LeftToLibrary', 'writer'), '();');
}

/** Reads one value. A message that has been begun is what `before` gives. */
function one({ output, functionOf }, field, before = []) {
  if (kindOf(field) === 'message') {
    const [read, zero] = [functionOf('read', field.message), functionOf('zero', field.message)];
    return [read, '(reader, reader.uint32(), ', ...before, zero, '())'];
  }
  const read = `reader.${scalarOf(field).method}()`;
  return kindOf(field) === 'enum' ? [read, ' as ', output.importShape(field.enum)] : [read];
}

function printList(prints, field, value) {
  const { output } = prints;
  const push = [value, '.push(', ...one(prints, field), ');'];
  const { wireType } = kindOf(field) === 'message' ? { wireType: 2 } : scalarOf(field);
  if (wireType === 2) {
    printRefusal(prints, `tag !== ${tagOf(field, 2)}`);
    output.print('        ', ...push);
    return;
  }
  // Packed or not, whatever the contract says.
  output.print(
    '        if (tag === ',
    tagOf(field, 2),
    ') for (const stop = reader.end(); reader.pos < stop; ) ',
    ...push,
  );
  output.print('        else if (tag === ', tagOf(field, wireType), ') ', ...push);
  output.print('        else throw new ', prints.runtime('LeftToLibrary', 'writer'), '();');
}

function printMap(prints, field, value) {
  const { output, functionOf, runtime } = prints;
  const key = SCALARS.get(field.mapKey);
  const isMessage = kindOf(field) === 'message';
  const wireType = isMessage ? 2 : scalarOf(field).wireType;
  const zero = isMessage ? [functionOf('zero', field.message), '()'] : [scalarOf(field).zero];
  output.print('        {');
  output.print('          const stop = reader.end();');
  output.print(
    '          let key: ',
    { 0: 'number', '0n': 'bigint', false: 'boolean' }[key.zero] ?? 'string',
    ' = ',
    key.zero,
    ';',
  );
  output.print('          let value: (typeof ', value, ')[keyof typeof ', value, '] | undefined;');
  output.print('          while (reader.pos < stop) {');
  output.print('            const part = reader.tag();');
  output.print('            if (part === ', tagOf({ number: 1 }, key.wireType), ') key = reader.', key.method, '();');
  output.print(
    '            else if (part === ',
    tagOf({ number: 2 }, wireType),
    ') value = ',
    ...one(prints, field),
    ';',
  );
  output.print('            else throw new ', runtime('LeftToLibrary', 'writer'), '();');
  output.print('          }');
  output.print(
    '          ',
    value,
    '[',
    { false: 'String(key)', '0n': 'String(key)' }[key.zero] ?? 'key',
    '] = value ?? ',
    ...zero,
    ';',
  );
  output.print('        }');
}
