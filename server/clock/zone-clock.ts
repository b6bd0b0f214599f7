const hourSeconds = 3600;

/** UTC offset of a zone in seconds at a time (unix seconds). Null if the zone is unknown here, e.g. because it is newer. */
export function zoneClock(zone: string): ((time: number) => number) | null {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    return null;
  }
  return (time) => {
    const [, sign = '', hours = '0', minutes = '0', seconds = '0'] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(format.format(time * 1000)) ?? [];
    return (Number(hours) * hourSeconds + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1 : 1);
  };
}
