import { platform } from '../api/platform.ts';
import { claimedName } from '../api/signed-in.ts';
import { TextDiff } from '../approvals/diff-view.tsx';
import { AskFirst, changeProblem } from '../ui/ask-first.tsx';
import { Exact } from '../ui/text.tsx';
import { changedParts } from './definition-parts.ts';
import type { HeldTool } from './types.ts';

/** What a server says of how its tools are used is held under this name. */
const instructions = '@instructions';

/** A tool that waits for acceptance: everything that is new in it, and the button that accepts exactly that. */
export function HeldToolPanel(given: {
  readonly tool: HeldTool;
  readonly mayAccept: boolean;
  /** Told what came of it, in words: the panel is gone by then. */
  readonly onDone: (words: string, isProblem: boolean) => void;
}) {
  const { tool, mayAccept, onDone } = given;
  const { server, name, state, pin, definition, accepted_definition: accepted, destructiveHint, accepted_pin } = tool;
  const isText = name === instructions;
  // The name stands above.
  const parts = changedParts(accepted, definition).filter((part) => part.name !== 'name' || part.after !== name);
  const isUnknown = state === 'changed' && accepted === undefined;
  const accept = async () => {
    const by = claimedName();
    try {
      await platform.call('POST /tools/accept', {
        body: { tools: [{ server, name, pin }], ...(by === '' ? {} : { by }) },
      });
      onDone(`Accepted: ${name} of ${server}.`, false);
    } catch (error) {
      onDone(`Nothing was accepted. ${changeProblem(error)}`, true);
    }
  };
  return (
    <article className="panel held" aria-label={`${name} of ${server}`}>
      <p className="panel-kicker">{state === 'new' ? 'New' : 'Changed since it was accepted'}</p>
      <h3>
        {isText ? 'How its tools are used' : <Exact text={name} label="the name" />}
        <span className="of-server">
          {' '}
          of <Exact text={server} label="the server" />
        </span>
      </h3>
      {isText ? null : (
        <p className="panel-note">
          {destructiveHint
            ? 'As it is now, it counts as destructive: its calls wait for an approval.'
            : 'As it is now, it does not count as destructive: its calls run without asking, unless a rule wants an approval.'}
        </p>
      )}
      {isUnknown ? (
        <p className="problem">What was accepted before is not known here any more, so all of it is shown as new.</p>
      ) : null}
      {parts.map(({ name: part, before, after }) => (
        <section key={part} className="part">
          <h4>
            <Exact text={part} label="the part" />
          </h4>
          <TextDiff before={before} after={after} />
        </section>
      ))}
      {parts.length === 0 ? <p className="panel-note">It differs in nothing that is shown here.</p> : null}
      <p className="panel-note">
        Fingerprint <code>{pin.slice(0, 12)}</code>
        {accepted_pin === undefined ? '' : ', before '}
        {accepted_pin === undefined ? null : <code>{accepted_pin.slice(0, 12)}</code>}
      </p>
      {mayAccept ? (
        <AskFirst
          label="Accept…"
          name={`Accept ${name} of ${server}`}
          tone="go"
          yes="Yes, accept it"
          means={
            <p>
              {isText
                ? 'From the next runs on, models that use its tools are told this, as the words of that server.'
                : 'Agents may use it from then on, exactly as it stands here. Your name goes on the record. If the server changes it once more, it is held again.'}
            </p>
          }
          onYes={accept}
        />
      ) : (
        <p className="panel-note">An administrator accepts it.</p>
      )}
    </article>
  );
}
