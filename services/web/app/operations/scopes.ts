/** What a key may be used for, in words, by its scope. */
export const scopeWords: Readonly<Record<string, string>> = {
  read: 'look at things',
  converse: 'begin and continue conversations',
  approve: 'decide on approvals',
  admin: 'administer: users, keys, tools, repositories',
};
