import { chat } from '../chat/chat.ts';
import { decide, printApprovals } from '../decide/approvals.ts';
import { assignTo } from '../decide/assign.ts';
import { confirmOn } from '../decide/confirm.ts';
import { connectAccount, disconnectAccount, printConnections } from '../decide/connect.ts';
import { cancelOf, pauseOf, resumeOf } from '../decide/control.ts';
import { listConversations } from '../decide/conversations.ts';
import { answerInput, printInputs } from '../decide/inputs.ts';
import { memoryCommand } from '../decide/memory.ts';
import { grantStandingOf, printStanding, revokeStandingOf } from '../decide/standing.ts';
import { toolsCommand } from '../decide/tools.ts';
import { watchApprovals } from '../decide/watch-approvals.ts';
import { columnsOf, Folded } from '../folded.ts';
import { linesOf } from '../lines.ts';
import { oneLine } from '../shown.ts';
import { openInBrowser } from '../start/open-in-browser.ts';
import type { Command, Given } from './command.ts';
import type { Flags } from './options.ts';
import { commandLineOf, gatewayUrl, pick, wholeNumber } from './parse.ts';

const gateway = {
  url: 'the platform (default: http://127.0.0.1:8080)',
  port: 'short for --url http://127.0.0.1:PORT',
};
const by = 'who decides, for the record';
const reason = 'why; the model is told, and goes on';

/** What people do with a running platform. */
export const peopleCommands: Readonly<Record<string, Command>> = {
  chat: {
    summary: 'Talk to the agent, and decide what it asks',
    takes: '[ID]',
    arguments: [0, 1],
    options: {
      ...gateway,
      by,
      agent: 'the agent from git of a new conversation (default: the agent of the configuration)',
      'max-call-depth': 'at most so many agents one below another in a run, the first one counted',
    },
    about: [
      'Each line is a message. Answers are shown while they come, and calls that wait for a human are shown whole: yes or no decides,',
      'an empty line leaves one waiting. From a pipe a line decides only if it is one of the words that are asked for.',
      'Ctrl-D ends it; what goes on goes on without you.',
    ],
    examples: [
      ['stopgo chat', 'a new conversation'],
      ['stopgo chat ID --by alice', 'goes on with one'],
      ['stopgo chat --agent support/tier1 --max-call-depth 2', 'an agent from git, which calls others that call none'],
    ],
    run: async ({ flags, args: [conversation], host }) => {
      const { agent } = flags;
      if (agent !== undefined && conversation !== undefined)
        throw new Error('--agent is of a new conversation: leave it out, or leave ID out');
      const maxCallDepth = wholeNumber(flags, 'max-call-depth');
      const lines = linesOf(host);
      try {
        const commandLine = (words: string): string => oneLine(commandLineOf(words, flags));
        const shown = new Folded(() => columnsOf(host.stdout));
        const write = (text: string): void => void host.stdout.write(shown.folded(text));
        await chat(gatewayUrl(flags), { conversation, by: flags.by, agent, maxCallDepth, commandLine }, lines, write);
      } finally {
        lines.close();
      }
    },
  },
  conversations: {
    summary: 'The conversations, newest first',
    arguments: [0, 0],
    options: {
      ...gateway,
      search: 'those in which all of these words were said',
      status: 'active or waiting_approval',
      limit: 'how many to show (default: 50)',
      json: 'one JSON object for each line',
    },
    examples: [
      ['stopgo conversations --status waiting_approval', ''],
      ["stopgo conversations --search 'invoice may'", ''],
    ],
    run: ({ flags, print }) =>
      listConversations(
        gatewayUrl(flags),
        { ...pick(flags, 'search', 'status', 'limit'), json: flags.json === true },
        print,
      ),
  },
  approvals: {
    summary: 'What waits for a human',
    arguments: [0, 0],
    options: {
      ...gateway,
      full: 'with all arguments of what is too long to be shown in short',
      watch: 'a line for each that waits, then one for each change, until Ctrl-C; connects again by itself',
    },
    examples: [
      ['stopgo approvals', ''],
      ['stopgo approvals --full', 'all arguments, before anything is approved'],
      ['stopgo approvals --watch', 'who asks, votes, takes and decides, as it happens'],
    ],
    run: ({ flags, host, print }) => {
      const url = gatewayUrl(flags);
      if (flags.watch !== true) return printApprovals(url, print, flags.full === true);
      if (flags.full === true) throw new Error('--watch shows a line each: leave --full out');
      const warn = (line: string): void => void host.stderr.write(`${line}\n`);
      return watchApprovals(url, { print, warn, signal: new AbortController().signal, pauseMs: 1_000 });
    },
  },
  approve: {
    summary: 'Say yes to a call, or what became of one in doubt',
    takes: 'UUID',
    arguments: [1, 1],
    options: {
      ...gateway,
      by,
      full: 'show all arguments first; needed where the description is cut',
      arguments: 'JSON: approve the call with these arguments in place of its own; it is judged anew',
      action: 'of a call in doubt: run_again, happened or give_up',
      result: 'with --action happened: the result that the model is told',
    },
    examples: [
      ['stopgo approve UUID --by alice', ''],
      ["stopgo approve UUID --action happened --result 'created with id 7'", ''],
    ],
    run: (given) => decideWith(given, actionOf(given.flags)),
  },
  reject: {
    summary: 'Say no to a call',
    takes: 'UUID',
    arguments: [1, 1],
    options: { ...gateway, by, reason, 'give-up': 'of a call in doubt, which may have happened: it is not run again' },
    examples: [
      ['stopgo reject UUID', ''],
      ["stopgo reject UUID --reason 'Use the test account.'", ''],
    ],
    run: (given) => decideWith(given, 'reject'),
  },
  withdraw: {
    summary: 'Take back a call that has not run, as who asked for it or may decide it',
    takes: 'UUID',
    arguments: [1, 1],
    options: { ...gateway, by, reason },
    examples: [['stopgo withdraw UUID', '']],
    run: (given) => decideWith(given, 'withdraw'),
  },
  assign: {
    summary: 'Say who is to look at an approval; whoever may decide it still may',
    takes: 'UUID',
    arguments: [1, 1],
    options: {
      ...gateway,
      by: 'who says so, for the record',
      to: 'an e-mail address, or me; where nobody signs in, a name',
      nobody: 'to nobody in particular any more',
    },
    examples: [
      ['stopgo assign UUID --to ana@example.com', ''],
      ['stopgo assign UUID --nobody', ''],
    ],
    run: ({ flags, args: [uuid = ''], print }) => {
      const { to, by, nobody = false } = flags;
      if ((to !== undefined) === nobody) throw new Error('say --to NAME or --nobody');
      return assignTo(gatewayUrl(flags), uuid, { to, by }, print);
    },
  },
  standing: {
    summary: 'What is approved for the rest of a conversation; grant it, or take it back',
    takes: 'ID, or grant UUID, or revoke ID STANDING',
    arguments: [1, 3],
    options: { ...gateway, by, same: 'with grant: only calls with exactly the same arguments' },
    about: [
      'UUID is the approval of the call that is meant, which is decided besides. What a rule or approval: require wants stays.',
    ],
    examples: [
      ['stopgo standing ID', ''],
      ['stopgo standing grant UUID --same --by alice', ''],
      ['stopgo standing revoke ID STANDING', ''],
    ],
    run: ({ flags, args: [action = '', first, second], print }) => {
      const url = gatewayUrl(flags);
      if (action === 'grant' && first !== undefined && second === undefined)
        return grantStandingOf(url, first, { by: flags.by, same: flags.same === true }, print);
      if (action === 'revoke' && first !== undefined && second !== undefined)
        return revokeStandingOf(url, first, second, { by: flags.by }, print);
      if (first !== undefined) throw new Error('stopgo standing takes ID, or grant UUID, or revoke ID STANDING');
      return printStanding(url, action, print);
    },
  },
  cancel: {
    summary: 'End the run of a conversation, or one step of it with all below it',
    takes: 'ID [STEP]',
    arguments: [1, 2],
    options: { ...gateway, by, reason: 'why; whoever waits for the step is told' },
    about: ['The run goes on after a step was ended, as after any failure. Ids of steps are those of `stopgo events`.'],
    examples: [
      ['stopgo cancel ID', ''],
      ["stopgo cancel ID 'root#1.0/root' --reason 'takes too long'", 'the agent that the first call works on'],
    ],
    run: ({ flags, args: [id = '', step], print }) =>
      cancelOf(gatewayUrl(flags), id, step, pick(flags, 'by', 'reason'), print),
  },
  pause: {
    summary: 'Have nothing new begin in the run of a conversation',
    takes: 'ID',
    arguments: [1, 1],
    options: { ...gateway, by, reason: 'why; the conversation shows it' },
    about: ['What is under way ends. Decisions are taken, and have their effect once the run is resumed.'],
    examples: [["stopgo pause ID --reason 'I look at it first'", '']],
    run: ({ flags, args: [id = ''], print }) => pauseOf(gatewayUrl(flags), id, pick(flags, 'by', 'reason'), print),
  },
  resume: {
    summary: 'Have a paused run go on, and print what it comes to',
    takes: 'ID',
    arguments: [1, 1],
    options: {
      ...gateway,
      by,
      'max-tokens': 'at a limit of an agent: tokens that it may use in all, instead of as much again',
      'max-cost': 'the same in US dollars',
      'max-agent-calls': 'the same of calls of agents',
    },
    about: ['A new limit counts from the beginning of the agent, and holds for this run.'],
    examples: [
      ['stopgo resume ID', 'as much again'],
      ['stopgo resume ID --max-tokens 50000 --max-cost 2.50', ''],
    ],
    run: ({ flags, args: [id = ''], print }) =>
      resumeOf(gatewayUrl(flags), id, pick(flags, 'by', 'max-tokens', 'max-cost', 'max-agent-calls'), print),
  },
  inputs: {
    summary: 'What tool servers and agents ask people, in all conversations or in one',
    takes: '[ID]',
    arguments: [0, 1],
    options: gateway,
    examples: [['stopgo inputs', '']],
    run: ({ flags, args: [id], print }) => printInputs(gatewayUrl(flags), id, print),
  },
  answer: {
    summary: 'Answer what a tool server or an agent asks',
    takes: 'ID',
    arguments: [1, 1],
    options: {
      ...gateway,
      by,
      input: 'which question is answered, as `stopgo inputs` shows it',
      content: 'the values',
      file: 'the file, where one is asked for',
      'media-type': 'with --file: what it is, such as text/csv (default: as its name ends)',
      action: 'decline or cancel instead of an answer',
    },
    examples: [
      [`stopgo answer ID --input UUID --content '{"amount": 42}'`, ''],
      ['stopgo answer ID --input UUID --file contract.pdf', ''],
      ['stopgo answer ID --input UUID --action decline', ''],
    ],
    run: ({ flags, args: [id = ''], print }) => {
      const mediaType = flags['media-type'];
      const said = { ...pick(flags, 'input', 'action', 'content', 'file', 'by'), ...(mediaType && { mediaType }) };
      return answerInput(gatewayUrl(flags), id, said, print);
    },
  },
  memory: {
    summary: 'What an agent from git remembers from one run to the next',
    takes: 'list NAME, show NAME KEY, set NAME KEY JSON, or remove NAME KEY',
    arguments: [1, Number.POSITIVE_INFINITY],
    options: {
      ...gateway,
      search: 'with list: what holds all of these words, in its key or its value',
      until: 'with set: when it is to be forgotten, such as 2027-01-31T12:00:00Z',
      at: 'with set and remove: only if it has this revision still; 0: only if there is nothing yet',
      json: 'as JSON',
    },
    about: ['set and remove are for administrators. Who did it is on the record, which keeps what is forgotten, too.'],
    examples: [
      ['stopgo memory list support/tier1 --search ada', ''],
      [`stopgo memory set support/tier1 greeting '"Hello"'`, 'a text stands in quotes of its own'],
    ],
    run: ({ flags, args, print }) => {
      const { search, until, at, json = false } = flags;
      return memoryCommand(gatewayUrl(flags), args, { search, until, at, json }, print);
    },
  },
  connect: {
    summary: 'Connect an account of yours at a tool server; without SERVER: how your accounts are',
    takes: '[SERVER]',
    arguments: [0, 1],
    options: { ...gateway, open: 'open the address in the browser' },
    about: [
      'Prints an address to log in at, and waits until the browser comes back to this machine.',
      'What waited for the account goes on by itself.',
    ],
    examples: [
      ['stopgo connect', ''],
      ['stopgo connect notes --open', ''],
    ],
    run: ({ flags, args: [server], host, print }) => {
      const url = gatewayUrl(flags);
      if (server === undefined) return printConnections(url, print);
      const open = (address: string) => (flags.open ? openInBrowser(address, host.platform, host.env) : undefined);
      return connectAccount(url, server, { print, open });
    },
  },
  disconnect: {
    summary: 'Disconnect an account: the key of its tokens is destroyed',
    takes: 'SERVER',
    arguments: [1, 1],
    options: gateway,
    examples: [['stopgo disconnect notes', '']],
    run: ({ flags, args: [server = ''], print }) => disconnectAccount(gatewayUrl(flags), server, print),
  },
  tools: {
    summary: 'Tools that are held because nobody has accepted them as they are',
    takes: '[diff|accept [SERVER [TOOL]]]',
    arguments: [0, 3],
    options: { ...gateway, by, pin: 'with accept: the pin that was shown, so that nothing is asked' },
    examples: [
      ['stopgo tools diff files', 'what is new in the tools of a server'],
      ['stopgo tools accept files write_file', 'shows it, and accepts it after a yes'],
    ],
    run: ({ flags, args: [action = '', server, tool], host, print }) =>
      toolsCommand(
        gatewayUrl(flags),
        { action, server, tool, by: flags.by, pin: flags.pin, confirm: confirmOn(host) },
        print,
      ),
  },
};

function decideWith({ flags, args: [uuid = ''], host, print }: Given, action: string): Promise<void> {
  const decision = {
    action,
    full: flags.full === true,
    giveUp: flags['give-up'] === true,
    ...pick(flags, 'by', 'result', 'reason', 'arguments'),
  };
  const commandLine = (words: string): string => commandLineOf(words, flags);
  return decide(gatewayUrl(flags), uuid, decision, { print, confirm: confirmOn(host), commandLine });
}

/** What may be said of a call in doubt; a plain approval takes no `--action`. */
const actions: readonly string[] = ['run_again', 'happened', 'give_up'];

function actionOf({ action = 'approve', result }: Flags): string {
  if (action !== 'approve' && !actions.includes(action))
    throw new Error(oneLine(`--action takes run_again, happened or give_up, not "${action}"`));
  if (result !== undefined && action !== 'happened')
    throw new Error('--result is what a call in doubt gave; it goes with --action happened only');
  return action;
}
