/** What of a conversation's runs somebody looks at; the address says it. */
export type Asked = {
  readonly view: View;
  readonly run?: string;
  /** The revision that is looked back at; absent: now. */
  readonly revision?: number;
};

export const views = ['graph', 'table', 'timeline', 'conversation'] as const;
export type View = (typeof views)[number];

export function askedFor(query: string): Asked {
  const given = new URLSearchParams(query);
  const revision = given.get('revision') ?? '';
  const run = given.get('run');
  return {
    view: views.find((one) => one === given.get('view')) ?? 'graph',
    ...(run === null ? {} : { run }),
    ...(/^[1-9]\d{0,9}$/.test(revision) ? { revision: Number(revision) } : {}),
  };
}

export function addressOf(conversation: string, { view, run, revision }: Asked): string {
  const given = new URLSearchParams();
  if (view !== 'graph') given.set('view', view);
  if (run !== undefined) given.set('run', run);
  if (revision !== undefined) given.set('revision', String(revision));
  const text = given.toString();
  return `/c/${conversation}/run${text === '' ? '' : `?${text}`}`;
}
