/** The reader's time zone, as questions about hours and days carry it: by name, and for servers that do not know it in minutes. */
export function ownTimeZone(): { utc_offset: string; time_zone: string } {
  return { utc_offset: String(-new Date().getTimezoneOffset()), time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
}
