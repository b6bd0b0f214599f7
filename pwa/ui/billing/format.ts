// One formatter each for money, counts and times. `createFormat` binds them to the language and to how the site shows
// quota; in components they come from `useFormat()`.

export interface FormatSettings {
  language: 'zh' | 'en';
  /** Quota units per US dollar. */
  quotaPerUnit: number;
  /** Show quota as dollars; otherwise as integer quota units everywhere. */
  inCurrency: boolean;
  /** IANA name; the browser's zone by default. */
  timeZone?: string;
  /** Words for a distance in time, from the catalogue: `3 分钟前`. */
  agoText?: (unit: AgoUnit, count: number) => string;
}

export type AgoUnit = 'now' | 'minutes' | 'hours' | 'days';

export type Format = ReturnType<typeof createFormat>;

const minus = '\u2212';

export function createFormat(settings: FormatSettings) {
  return { ...moneyFormat(settings), ...numberFormat, ...timeFormat(settings) };
}

function moneyFormat({ quotaPerUnit, inCurrency }: FormatSettings) {
  const usdOf = (quota: number): number => quota / quotaPerUnit;
  return {
    inCurrency,
    quotaPerUnit,
    /** A balance or an allowance with its unit: `$12.84`, `$0.0039` when it is less than a cent, or `6,420,000` with currency display off. */
    quota: (quota: number): string => (inCurrency ? dollars(usdOf(quota), places(usdOf(quota))) : count(quota)),
    /** An amount that is taken at its word, to the last unit: `$0.046`, `$5.00`. */
    quotaExact: (quota: number): string => (inCurrency ? `$${price(usdOf(quota))}` : count(quota)),
    /** The same as `quota` for a column whose heading names the unit: `12.84`, always with two decimals, so that the digits line up; `<0.01` is less than a cent. */
    quotaBare: (quota: number): string => (inCurrency ? cents(usdOf(quota)) : count(quota)),
    /** With a sign: `+$20.00`, `−$0.12`. */
    quotaChange: (quota: number): string => {
      const size = inCurrency ? dollars(Math.abs(usdOf(quota)), places(usdOf(quota))) : count(Math.abs(quota));
      return `${quota < 0 ? minus : '+'}${size}`;
    },
    /** The charge of a call or a sum of charges, without unit: `0.035754`, or `17,877`. */
    charge: (quota: number): string => (inCurrency ? decimals(usdOf(quota), 6) : count(quota)),
    /** The unit that a heading names once: `USD`, or nothing when quota units are shown (say "quota" there). */
    unit: inCurrency ? 'USD' : '',
    /** US dollars: `$184.20`. */
    usd: (amount: number): string => dollars(amount, 2),
    usdBare: (amount: number): string => decimals(amount, 2),
    /** A price: at least 2 decimals, as many as needed, never rounded to nothing: `3.00`, `0.075`. */
    price,
  };
}

const numberFormat = {
  /** A factor: `× 0.8`. */
  factor: (ratio: number): string => `× ${plain(ratio)}`,
  ratio: plain,
  count,
  /** A short count of tokens or requests: `9,999`, `12.3k`, `4.6M`, `1.2B`. */
  countShort: (value: number): string => {
    const size = Math.abs(value);
    // What would be rounded to a thousand of one letter is one of the next.
    if (size >= 999_950_000) return `${decimals(value / 1e9, 1)}B`;
    if (size >= 999_950) return `${decimals(value / 1e6, 1)}M`;
    if (size >= 1e4) return `${decimals(value / 1e3, 1)}k`;
    return count(value);
  },
  percent: (share: number, digits = 1): string => `${decimals(share * 100, digits)}%`,
  /** The same for a column whose heading has the sign: `99.8`, and `100` and `0` without decimals. */
  percentBare: (share: number, digits = 1): string => decimals(share * 100, share === 0 || share === 1 ? 0 : digits),
  /** A part of a whole, as long as it is read: `0.04%`, `2.7%`, `24%`. */
  share: (share: number): string => `${decimals(share * 100, share < 0.01 ? 2 : share < 0.0995 ? 1 : 0)}%`,
  /** A part of a whole for a narrow column: `27%`; `<1%` is some of it. */
  wholePercent: (share: number): string => (share > 0 && share < 0.005 ? '<1%' : `${decimals(share * 100, 0)}%`),
  /** `312 ms` below one second, `5.1 s` below one minute; then `2 min 11 s`, `7 h 9 min`. */
  duration: (milliseconds: number): string => {
    if (milliseconds < 1000) return `${count(Math.round(milliseconds))} ms`;
    if (milliseconds < 59_950) return `${decimals(milliseconds / 1000, 1)} s`;
    const seconds = Math.round(milliseconds / 1000);
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    const minutes = Math.round(seconds / 60);
    return `${count(Math.floor(minutes / 60))} h ${minutes % 60} min`;
  },
  /** Seconds for a column whose heading names them: `0.61`, `12.40`. */
  secondsBare: (milliseconds: number): string => decimals(milliseconds / 1000, 2),
};

/** Moments in the language and the time zone. All are unix seconds. */
function timeFormat({ language, timeZone, agoText }: FormatSettings) {
  const zone = timeZone === undefined ? {} : { timeZone };
  const read = momentReader(zone);
  const weekday = onDemand(() => new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', { ...zone, weekday: 'short' }));
  const monthName = onDemand(() => new Intl.DateTimeFormat('en-GB', { ...zone, month: 'short' }));
  const monthAndDay = onDemand(() => new Intl.DateTimeFormat('zh-CN', { ...zone, month: 'long', day: 'numeric' }));
  const dateOf = (at: Moment): string =>
    language === 'zh' ? isoDate(at) : `${Number(at.day)} ${monthName().format(at.milliseconds)} ${at.year}`;
  return {
    language,
    timeZone: timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    /** `2026-11-21 14:31:57` or `21 Nov 2026, 14:28:40`. */
    /** `November 2026` */
    month: (seconds: number): string =>
      new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', { ...zone, year: 'numeric', month: 'long' }).format(seconds * 1000),
    dateTime: (seconds: number): string => {
      const at = read(seconds);
      return `${dateOf(at)}${language === 'zh' ? '' : ','} ${at.time}`;
    },
    /** `2026-11-21` or `21 Nov 2026`. */
    date: (seconds: number): string => dateOf(read(seconds)),
    /** A calendar day of another zone, `2026-11-21`, as a date. */
    calendarDay: (day: string): string => {
      const [year = '', month = '', date = ''] = day.split('-');
      if (language === 'zh' || date === '') return day;
      // The middle of the month is in it in every zone.
      return `${Number(date)} ${monthName().format(Date.UTC(Number(year), Number(month) - 1, 15, 12))} ${year}`;
    },
    /** The heading of a ledger day: `11月21日 周六` or `Sat 21 Nov`. */
    day: (seconds: number): string => {
      const name = weekday().format(seconds * 1000);
      if (language === 'zh') return `${monthAndDay().format(seconds * 1000)} ${name}`;
      return `${name} ${Number(read(seconds).day)} ${monthName().format(seconds * 1000)}`;
    },
    /** What rows of one day are grouped by: `2026-11-21`. */
    dayKey: (seconds: number): string => isoDate(read(seconds)),
    /** `14:31:57`. */
    time: (seconds: number): string => read(seconds).time,
    /** `14:31`. */
    clock: (seconds: number): string => read(seconds).time.slice(0, 5),
    /** How long ago, in words: `3 min ago`. */
    ago: (seconds: number, now: number): string => {
      const { unit, amount } = agoParts(now - seconds);
      return agoText?.(unit, amount) ?? `${amount} ${unit}`;
    },
  };
}

interface Moment {
  milliseconds: number;
  year: string;
  month: string;
  day: string;
  time: string;
}

/** Reads the parts of a moment (unix seconds) as they are in a time zone. */
function momentReader(zone: { timeZone?: string }): (seconds: number) => Moment {
  const parts = onDemand(
    () =>
      new Intl.DateTimeFormat('en-GB', {
        ...zone,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        hourCycle: 'h23',
      }),
  );
  return (seconds) => {
    const found = Object.fromEntries(
      parts()
        .formatToParts(seconds * 1000)
        .map((part) => [part.type, part.value]),
    );
    const piece = (name: string): string => found[name] ?? '';
    return {
      milliseconds: seconds * 1000,
      year: piece('year'),
      month: piece('month'),
      day: piece('day'),
      time: `${piece('hour')}:${piece('minute')}:${piece('second')}`,
    };
  };
}

/** Made when it is first needed: a page begins with none of the browser's formatters, and each takes a slow phone milliseconds. */
function onDemand<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}

function isoDate({ year, month, day }: Moment): string {
  return `${year}-${month}-${day}`;
}

/** Decimals of a sum of money: cents, and below one cent two digits that say how much it is. */
function places(amount: number): number {
  const size = Math.abs(amount);
  return size === 0 || size >= 0.005 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(size)));
}

/** Formats two decimals; an amount below a cent that is not zero reads "less than a cent". */
function cents(amount: number): string {
  if (amount === 0 || Math.abs(amount) >= 0.005) return decimals(amount, 2);
  return amount < 0 ? `>${minus}0.01` : '<0.01';
}

/** Splits `0.000414` into the zeros that are muted in a column and the digits that show the size. */
export function splitLeadingZeros(text: string): { zeros: string; digits: string } {
  const zeros = /^[+\u2212]?0\.0*/.exec(text)?.[0] ?? '';
  const digits = text.slice(zeros.length);
  return digits === '' ? { zeros: '', digits: text } : { zeros, digits };
}

function count(value: number): string {
  return decimals(value, 0);
}

/** Grouped by `,` with a fixed number of decimals and a true minus; never `-0`. */
function decimals(value: number, digits: number): string {
  const text = withDecimals(digits).format(Math.abs(value));
  return value < 0 && /[1-9]/.test(text) ? `${minus}${text}` : text;
}

/** One per number of decimals: making one takes longer than the whole cell that it writes. */
const formats = new Map<number, Intl.NumberFormat>();

function withDecimals(digits: number): Intl.NumberFormat {
  const known = formats.get(digits);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  formats.set(digits, made);
  return made;
}

function dollars(value: number, digits: number): string {
  const text = decimals(Math.abs(value), digits);
  return value < 0 && /[1-9]/.test(text) ? `${minus}$${text}` : `$${text}`;
}

function price(usd: number): string {
  // Ten significant digits remove the dust of binary fractions without touching any real price.
  return Number(usd.toPrecision(10)).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 12 });
}

function plain(value: number): string {
  return Number(value.toPrecision(10)).toLocaleString('en-US', { maximumFractionDigits: 10 });
}

function agoParts(seconds: number): { unit: AgoUnit; amount: number } {
  if (seconds < 60) return { unit: 'now', amount: 0 };
  if (seconds < 3600) return { unit: 'minutes', amount: Math.floor(seconds / 60) };
  if (seconds < 86_400) return { unit: 'hours', amount: Math.floor(seconds / 3600) };
  return { unit: 'days', amount: Math.floor(seconds / 86_400) };
}
