// Who uses the app. Where people sign in it is an API key, kept for this tab alone; elsewhere a name that they claim.

const keyName = 'stopgo.api-key';
const nameName = 'stopgo.name';

export const apiKey = (): string => sessionStorage.getItem(keyName) ?? '';
export const ownName = (): string => localStorage.getItem(nameName) ?? '';

export function setApiKey(key: string): void {
  if (key === '') sessionStorage.removeItem(keyName);
  else sessionStorage.setItem(keyName, key);
}

export function setOwnName(name: string): void {
  if (name === '') localStorage.removeItem(nameName);
  else localStorage.setItem(nameName, name);
}
