/** The states of content that is text until the end tag of its element, and the detours of scripts: a script may contain comments with scripts. */
import { again, beginTag, endsName, greaterThan, isLetter, lessThan, type Scan, slash, type State, tagName } from "./states.ts";

const [bang, dash] = [0x21, 0x2d];
const script = "script";

/** The state of the content of each element that has text only. */
export const rawStates: Readonly<Record<string, State>> = Object.freeze({
  ...Object.fromEntries(["iframe", "noembed", "noframes", "noscript", "style", "textarea", "title", "xmp"].map((name) => [name, raw])),
  plaintext,
  script: scriptText,
});

/** Until the end of the document. */
function plaintext(): State {
  return plaintext;
}

function raw(byte: number, scan: Scan): State {
  return byte === lessThan ? held(scan, rawOpened) : raw;
}
function rawOpened(byte: number, scan: Scan): State {
  return byte === slash ? endName(scan, raw) : passed(scan, raw);
}

function held(scan: Scan, next: State): State {
  scan.hold();
  return next;
}
/** Passes on what was held, and reads the byte once more. */
function passed(scan: Scan, next: State): State {
  scan.pass();
  return again(scan, next);
}

/** After `</`: the name of the element may follow. */
function endName(scan: Scan, otherwise: State): State {
  scan.met = 0;
  scan.otherwise = otherwise;
  return rawEndName;
}
function rawEndName(byte: number, scan: Scan): State {
  const isWhole = scan.met === scan.rawName.length;
  if (isWhole && endsName(byte)) {
    beginTag(scan, true);
    return again(scan, tagName);
  }
  return !isWhole && isNext(byte, scan.rawName, scan) ? rawEndName : passed(scan, scan.otherwise);
}

/** Whether the byte is the next of a word, in upper or lower case. */
function isNext(byte: number, word: string, scan: Scan): boolean {
  const wanted = word.charCodeAt(scan.met);
  if (byte !== wanted && byte !== wanted - 0x20) return false;
  scan.met++;
  return true;
}

function scriptText(byte: number, scan: Scan): State {
  return byte === lessThan ? held(scan, scriptOpened) : scriptText;
}
function scriptOpened(byte: number, scan: Scan): State {
  if (byte === slash) return endName(scan, scriptText);
  if (byte !== bang) return passed(scan, scriptText);
  scan.pass();
  return commentBegins;
}
/** After `<!`. */
function commentBegins(byte: number, scan: Scan): State {
  return byte === dash ? commentBeginsDash : again(scan, scriptText);
}
function commentBeginsDash(byte: number, scan: Scan): State {
  return byte === dash ? commentDashes : again(scan, scriptText);
}

/** In a comment, in which an end tag still ends the script. */
function commentText(byte: number, scan: Scan): State {
  if (byte === dash) return commentDash;
  return byte === lessThan ? held(scan, commentOpened) : commentText;
}
function commentDash(byte: number, scan: Scan): State {
  return byte === dash ? commentDashes : commentText(byte, scan);
}
function commentDashes(byte: number, scan: Scan): State {
  if (byte === greaterThan) return scriptText;
  return byte === dash ? commentDashes : commentText(byte, scan);
}
function commentOpened(byte: number, scan: Scan): State {
  if (byte === slash) return endName(scan, commentText);
  if (!isLetter(byte)) return passed(scan, scriptText);
  scan.met = 0;
  return passed(scan, innerName);
}

/** The name of a tag in a comment: that of an inner script hides the next end tag. */
function innerName(byte: number, scan: Scan): State {
  if (scan.met < script.length) return isNext(byte, script, scan) ? innerName : again(scan, commentText);
  return endsName(byte) ? inner : again(scan, commentText);
}
function inner(byte: number): State {
  if (byte === dash) return innerDash;
  return byte === lessThan ? innerOpened : inner;
}
function innerDash(byte: number): State {
  return byte === dash ? innerDashes : inner(byte);
}
function innerDashes(byte: number): State {
  if (byte === greaterThan) return scriptText;
  return byte === dash ? innerDashes : inner(byte);
}
function innerOpened(byte: number, scan: Scan): State {
  if (byte !== slash) return again(scan, inner);
  scan.met = 0;
  return innerEndName;
}
function innerEndName(byte: number, scan: Scan): State {
  if (scan.met < script.length) return isNext(byte, script, scan) ? innerEndName : again(scan, inner);
  return endsName(byte) ? commentText : again(scan, inner);
}
