import { Store, useStore } from './store.ts';

/** How the app looks: as the system wants it, or as somebody here does. */
export type Theme = 'system' | 'light' | 'dark';

const name = 'stopgo.theme';
const kept = (): Theme => {
  const theme = localStorage.getItem(name);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
};
const theme = new Store<Theme>(kept());
show(theme.get());
// Another tab has changed it.
window.addEventListener('storage', () => {
  theme.set(kept());
  show(kept());
});

function show(wanted: Theme): void {
  if (wanted === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}

export function setTheme(wanted: Theme): void {
  if (wanted === 'system') localStorage.removeItem(name);
  else localStorage.setItem(name, wanted);
  theme.set(wanted);
  show(wanted);
}

export const useTheme = (): Theme => useStore(theme);
