import { Icon } from '../ui/icon.tsx';
import type { Said } from './words.ts';

/** A state by its sign and its word. */
export const StateMark = ({ of: { word, icon, tone } }: { readonly of: Said }) => (
  <span className={`state-mark ${tone}`}>
    <Icon name={icon} /> {word}
  </span>
);
