import { useId } from 'react';

/** The most that is kept of one file, in bytes. What a request may have besides is the platform's to say. */
const bytesMax = 12 * 1024 * 1024;

/** A number of bytes in words. */
export const sizeOf = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} bytes`
    : bytes < 1_000_000
      ? `${(bytes / 1_000).toFixed(0)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** What is wrong with a file before anything is sent, in words. */
export const fileProblem = (file: File | undefined): string | undefined => {
  if (file === undefined) return 'Choose a file.';
  if (file.size === 0) return 'The file is empty.';
  return file.size <= bytesMax
    ? undefined
    : `The file has ${sizeOf(file.size)}. At most ${sizeOf(bytesMax)} are taken of one.`;
};

/** The file that somebody gives. It is read when it is sent, and has to be chosen again after a reload. */
export function FileInput(given: {
  readonly file: File | undefined;
  readonly problem: string | undefined;
  readonly onChange: (file: File | undefined) => void;
}) {
  const { file, problem, onChange } = given;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>The file</label>
      <input
        id={id}
        type="file"
        aria-describedby={problem === undefined ? `${id}-note` : `${id}-note ${id}-problem`}
        aria-invalid={problem === undefined ? undefined : true}
        onChange={({ target }) => onChange(target.files?.[0])}
      />
      <span id={`${id}-note`} className="field-note">
        {file === undefined
          ? 'One file, of about 3 MB at most unless the platform is set up for more. It is kept with the conversation.'
          : `${sizeOf(file.size)}${file.type === '' ? '' : `, ${file.type}`}. It is kept with the conversation.`}
      </span>
      {problem === undefined ? null : (
        <span id={`${id}-problem`} className="field-problem">
          {problem}
        </span>
      )}
    </div>
  );
}

/** What the platform says is wrong with a file, in words; undefined if it says something else. */
export function fileProblemIn(error: string): string | undefined {
  const bytes = /^request body is larger than (\d+) bytes/.exec(error)?.[1];
  // On its way a file is a third larger.
  if (bytes !== undefined)
    return `The file is too large: at most about ${sizeOf(Math.floor((Number(bytes) * 3) / 4))} are taken here.`;
  const rest = /^file(?:\.\w+)?: (.*)$/s.exec(error)?.[1];
  return rest === undefined ? undefined : `${rest.charAt(0).toUpperCase()}${rest.slice(1)}.`;
}
