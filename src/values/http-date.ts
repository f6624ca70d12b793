const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const fullDay = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
const month = `(?<month>${months.join('|')})`;
const time = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';

/** IMF-fixdate, RFC 850 and asctime (RFC 9110 section 5.6.7). */
const forms = [
  new RegExp(`^${day}, (?<date>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^${fullDay}, (?<date>\\d{2})-${month}-(?<shortYear>\\d{2}) ${time} GMT$`),
  new RegExp(`^${day} ${month} (?<date>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
];

/** Maximum number of years that a two-digit year is ahead of the current one; otherwise it is of the past century. */
const maximumYearsAhead = 50;

/**
 * Parses an HTTP date in any of its three forms, to Unix milliseconds; `undefined` for other text and impossible dates.
 * A day of the week that does not fit the date is ignored.
 * @param nowMs current time, which decides the century of a two-digit year
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of forms) {
    const fields = form.exec(text)?.groups;
    if (fields !== undefined) return toInstant(fields, nowMs);
  }
  return undefined;
}

function toInstant(fields: Record<string, string | undefined>, nowMs: number): number | undefined {
  const monthIndex = months.indexOf(fields.month ?? '');
  const [date, hour, minute, second] = [fields.date, fields.hour, fields.minute, fields.second].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  // 60 is a leap second (RFC 9110 section 5.6.7).
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const instantIn = (year: number) => {
    const midnight = new Date(0).setUTCFullYear(year, monthIndex, date);
    return new Date(midnight).getUTCDate() === date
      ? midnight + ((hour * 60 + minute) * 60 + second) * 1_000
      : undefined;
  };
  if (fields.year !== undefined) return instantIn(Number(fields.year));
  const limit = new Date(nowMs);
  const limitMs = limit.setUTCFullYear(limit.getUTCFullYear() + maximumYearsAhead);
  const shortYear = Number(fields.shortYear);
  let century = Math.floor(limit.getUTCFullYear() / 100) * 100;
  // 29 February may be missing in the later century, such as 2100.
  while ((instantIn(century + shortYear) ?? Number.POSITIVE_INFINITY) > limitMs && century > 0) century -= 100;
  return instantIn(century + shortYear);
}
