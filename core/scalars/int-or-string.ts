/** A number or a text in one field, such as a port or a percentage. */

/** Whether a number fits the int32 that such a field, or an int32 field, carries. */
export function isInt32(value: number): boolean {
  return (value | 0) === value;
}
