import { ExactNumber, type ExactValue, exactText } from '@stopgo/client';
import { Exact, Marked } from '../ui/text.tsx';

const isMap = (value: ExactValue): value is { readonly [key: string]: ExactValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** The arguments of a call, exactly: each name with its value, nothing rounded, nothing hidden. */
export function Arguments({ value }: { readonly value: ExactValue }) {
  if (!isMap(value))
    return <pre className="argument-value">{<Exact text={exactText(value)} label="the arguments" />}</pre>;
  const entries = Object.entries(value);
  if (entries.length === 0) return <p className="no-arguments">No arguments.</p>;
  return (
    <dl className="arguments">
      {entries.map(([name, one]) => (
        <div key={name}>
          <dt>
            <Marked text={name} />
          </dt>
          <dd>
            <Value value={one} name={name} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A text stands as it is, and says that it is one where it could be taken for something else; all else as JSON. */
function Value({ value, name }: { readonly value: ExactValue; readonly name: string }) {
  if (value === '') return <em className="kind">empty text</em>;
  const kind = kindOf(value);
  const text = typeof value === 'string' ? value : exactText(value);
  return (
    <>
      <Exact text={text} label={name} />
      {kind === undefined ? null : <span className="kind"> {kind}</span>}
    </>
  );
}

function kindOf(value: ExactValue): string | undefined {
  if (typeof value === 'string') return /^(?:true|false|null|[-\d[{"])/.test(value) ? 'text' : undefined;
  if (value === null) return 'nothing';
  if (typeof value === 'boolean') return 'yes or no';
  if (typeof value === 'number' || value instanceof ExactNumber) return 'number';
  return Array.isArray(value) ? 'list' : 'object';
}
