const paths = {
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  send: 'M5 12h13M12 6l6 6-6 6',
  stop: 'M6.5 6.5h11v11h-11z',
  play: 'M8 5.500v13l10-6.500z',
  pause: 'M9 6v12M15 6v12',
  clock: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 8v4l3 2',
  check: 'M5 13l4.500 4.500L19 7',
  cross: 'M6 6l12 12M18 6L6 18',
  pen: 'M5 19l1-4L16 5l3 3L9 18z',
  tool: 'M14.500 6.500a4 4 0 0 0-5 5L4 17l3 3 5.500-5.500a4 4 0 0 0 5-5L15 12l-3-3z',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1 3h4l1-3h5',
  chat: 'M4 5h16v11H10l-4 4v-4H4z',
  open: 'M14 5h5v5M19 5l-8 8M17 14v5H5V7h5',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  download: 'M12 4v11M7 10.500l5 5 5-5M5 19.500h14',
  shield: 'M12 3.500l7 2.500v5c0 4.500-3 7.500-7 9.500-4-2-7-5-7-9.500V6zM9 11.800l2.200 2.200 4-4',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
  moon: 'M19 14.500A8 8 0 0 1 9.500 5a8 8 0 1 0 9.500 9.500z',
  half: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  help: 'M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400M12 17.500v.1',
  warn: 'M12 4l9 16H3zM12 10v4M12 17v.1',
  agent: 'M7 9h10a3 3 0 0 1 3 3v5a3 3 0 0 1-3 3H7a3 3 0 0 1-3-3v-5a3 3 0 0 1 3-3zM12 9V5M12 4.900v.1M9 14v.1M15 14v.1',
  pulse: 'M3 12h4l3-7 4 14 3-7h4',
  graph:
    'M6 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM18 14.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM6 21a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM6 8v8M8.500 6.500 16 10.500M8.500 17.500 16 13.500',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c1-4 4-6 8-6s7 2 8 6',
} as const;

export type IconName = keyof typeof paths;

/** A drawing beside words, or in a button that has a name. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
);

/** The same as a part of a drawing, 24 units wide. */
export const Sign = ({ name }: { readonly name: IconName }) => <path d={paths[name]} className="sign" />;

/** The mark of the product. */
export const Mark = () => (
  <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="9" className="brand-ground" />
    <path d="M8.200 8.200h5.100l3.600 3.600v8.400l-3.600 3.600H8.200l-3.600-3.600v-8.400z" className="brand-stop" />
    <path d="M19.200 9.400 28 16l-8.800 6.600z" className="brand-go" />
  </svg>
);
