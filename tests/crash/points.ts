/** The places inside the platform's process at which it can be made to die. */
export const platformPoints = [
  'define.before',
  'define.after',
  'append.before',
  'append.after',
  'put.before',
  'put.after',
  'execute.before',
  'execute.after',
  'model.before',
  'model.after',
  'fence.before',
  'fence.after',
  'resolve.before',
  'resolve.after',
] as const;
export type PlatformPoint = (typeof platformPoints)[number];

/** How often each place was passed. */
export type PointCounts = Readonly<Record<PlatformPoint, number>>;

/** One place, and which passing of it (counted from 1) is the last. */
export type PlatformCrash = { readonly point: PlatformPoint; readonly nth: number };

/** Reads `<point>:<nth>`. Throws if it is none. */
export function parsePlatformCrash(text: string): PlatformCrash {
  const [name, nth] = text.split(':');
  const point = platformPoints.find((one) => one === name);
  if (point === undefined || !/^[1-9]\d*$/.test(nth ?? ''))
    throw new Error(`"${text}" is no crash point; write one of ${platformPoints.join(', ')}, a colon and a number`);
  return { point, nth: Number(nth) };
}

/** Counts how often each place is passed, and dies at the one that was chosen. */
export class Points {
  private counts = none();
  private chosen: PlatformCrash | undefined;
  private readonly die: () => void;

  constructor(die: () => void) {
    this.die = die;
  }

  /** Counts from 0 again, and dies at this place; undefined: nowhere. */
  arm(crash: PlatformCrash | undefined): void {
    this.counts = none();
    this.chosen = crash;
  }

  /** To be called where the place is. */
  pass(point: PlatformPoint): void {
    this.counts[point] += 1;
    if (this.chosen?.point === point && this.chosen.nth === this.counts[point]) this.die();
  }

  passed(): PointCounts {
    return { ...this.counts };
  }
}

function none(): Record<PlatformPoint, number> {
  return Object.fromEntries(platformPoints.map((point) => [point, 0])) as Record<PlatformPoint, number>;
}
