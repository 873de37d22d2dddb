const dayMs = 86_400_000;
/** Days that are kept. A page has a few dozen; the limit only bounds the memory. */
const maxDays = 10_000;

const padded = (count: number, digits: number) =>
  Array.from({ length: count }, (_, i) => String(i).padStart(digits, '0'));
const minutes = padded(24, 2).flatMap((hour) => padded(60, 2).map((minute) => `${hour}:${minute}:`));
const seconds = padded(60, 2).map((second) => `${second}.`);
const milliseconds = padded(1_000, 3).map((ms) => `${ms}Z`);
const days = new Map<number, string>();

/** `toISOString`, in a quarter of its time: a page of transfers has hundreds of times. */
export function isoTime(date: Date): string {
  const time = date.getTime();
  const day = Math.floor(time / dayMs);
  const rest = time - day * dayMs;
  const inMinute = rest % 60_000;
  const inSecond = inMinute % 1_000;
  const start = days.get(day) ?? startOf(date, day);
  return `${start}${minutes[(rest - inMinute) / 60_000]}${seconds[(inMinute - inSecond) / 1_000]}${milliseconds[inSecond]}`;
}

/** The date and the T, as `toISOString` has them. @throws RangeError for an invalid date. */
function startOf(date: Date, day: number): string {
  const start = date.toISOString().slice(0, -'00:00:00.000Z'.length);
  if (days.size >= maxDays) days.clear();
  days.set(day, start);
  return start;
}
