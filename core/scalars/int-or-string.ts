/** Fields with a number or a string, such as a port or a percentage. */

/** Whether a number is an int32. */
export function isInt32(value: number): boolean {
  return (value | 0) === value;
}
