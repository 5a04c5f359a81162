/** Checks dates and times as upstream's formats `date` and `datetime` do. */

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the text is a date such as `2006-01-02` that exists. */
export function isDate(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const year = Number(text.slice(0, 4)), month = Number(text.slice(5, 7)), day = Number(text.slice(8));
  const isLeapDay = month === 2 && day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && (isLeapDay || day <= (daysOfMonth[month - 1] ?? 0));
}

/**
 * Whether the text is a date, `t`, and a time of day with a zone. As in upstream, text after a second `t` is ignored, any character
 * separates the fraction, and offsets of zones are not checked.
 */
export function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split("t", 2);
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u.exec(time);
  return match !== null && match[1]! <= "23" && match[2]! <= "59" && match[3]! <= "59";
}
