const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;
const MONTH = `(?<month>${MONTHS.join('|')})`;
const DAY_NAME = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY_NAME = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';

/** IMF-fixdate, and the two obsolete forms that recipients must accept. */
const FORMS = [
  String.raw`${DAY_NAME}, (?<day>\d{2}) ${MONTH} (?<year>\d{4}) ${TIME} GMT`,
  String.raw`${LONG_DAY_NAME}, (?<day>\d{2})-${MONTH}-(?<year>\d{2}) ${TIME} GMT`,
  String.raw`${DAY_NAME} ${MONTH} (?<day>\d{2}| \d) ${TIME} (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/**
 * Parses an HTTP-date (RFC 9110 5.6.7), which is case-sensitive.
 *
 * @returns milliseconds since 1970; undefined if the text is not an HTTP-date
 */
export function parseHttpDate(text: string): number | undefined {
  for (const form of FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups) return timeOf(groups);
  }
  return undefined;
}

function timeOf(groups: Readonly<Record<string, string>>): number | undefined {
  const part = (name: string): number => Number(groups[name]);
  const year = groups['year']?.length === 2 ? fullYear(part('year')) : part('year');
  const month = MONTHS.indexOf(groups['month'] ?? '');
  const [day, hour, minute, second] = [part('day'), part('hour'), part('minute'), part('second')];
  // Second 60 is a leap second.
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(0);
  // Date.UTC would map the years 0 to 99 to 1900 to 1999.
  date.setUTCFullYear(year, month, day);
  if (date.getUTCDate() !== day) return undefined;
  return date.setUTCHours(hour, minute, second);
}

/** The year of two digits. More than 50 years in the future, it means the most recent past year (RFC 9110 5.6.7). */
function fullYear(digits: number): number {
  const thisYear = new Date().getUTCFullYear();
  const year = thisYear - (thisYear % 100) + digits;
  return year > thisYear + 50 ? year - 100 : year;
}

let second = 0;
let text = '';

/** The current time as IMF-fixdate (RFC 9110 5.6.7), cached for a second. */
export function currentDate(): string {
  const now = Date.now();
  if (now < second || now >= second + 1000) {
    second = now - (now % 1000);
    text = new Date(second).toUTCString();
  }
  return text;
}
