import { useEffect, useState } from 'react';
import type { Values } from './answer.ts';

/** What somebody has written into the form of a question and has not sent. It stays in this tab, also over a reload. */
export function useDraft(id: string, isOpen: boolean) {
  const place = `stopgo.draft.question.${id}`;
  const [values, setValues] = useState<Values>(() => read(place));
  useEffect(() => {
    if (!isOpen) sessionStorage.removeItem(place);
  }, [place, isOpen]);
  const change = (name: string, value: Values[string]): void => {
    setValues((before) => {
      const next = { ...before, [name]: value };
      sessionStorage.setItem(place, JSON.stringify(next));
      return next;
    });
  };
  return { values, change, isTouched: Object.keys(values).length > 0 };
}

function read(place: string): Values {
  const kept = sessionStorage.getItem(place);
  return kept === null ? {} : (JSON.parse(kept) as Values);
}
