import { type FieldError, invalid, required } from "../../../plugin.ts";
import { append } from "../../../toolbox.ts";
import type { PrinterColumn } from "../schema.ts";
import { validateSimplePath } from "./simple-path.ts";

const types = ["boolean", "date", "integer", "number", "string"];
const formats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function validateColumns(columns: readonly PrinterColumn[], path: string): readonly FieldError[] {
  return columns.flatMap((column, i) => validateColumn(column, `${path}[${i}]`));
}

function validateColumn({ name, type, format = "", jsonPath }: PrinterColumn, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const oneOfTypes = `must be one of ${types.join(",")}`;
  if (name === "") errors.push(required(`${path}.name`, ""));
  if (type === "") errors.push(required(`${path}.type`, oneOfTypes));
  else if (!types.includes(type)) errors.push(invalid(`${path}.type`, type, oneOfTypes));
  if (format !== "" && !formats.includes(format)) errors.push(invalid(`${path}.format`, format, `must be one of ${formats.join(",")}`));
  // Upstream's path has these capital letters.
  if (jsonPath === "") errors.push(required(`${path}.JSONPath`, ""));
  else append(errors, validateSimplePath(jsonPath, `${path}.JSONPath`));
  return errors;
}
