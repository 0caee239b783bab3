/**
 * Parses the data of complete server-sent events. The data lines of an event are joined. Comments and
 * other fields are left out. Pure.
 */
export function readEventData(text: string): readonly string[] {
  const lines = (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text).split("\n");
  // The text after the last line break is not a complete line.
  lines.pop();
  const found: string[] = [];
  let data: string | undefined;
  for (const line of lines) {
    if (line === "") {
      if (data !== undefined) found.push(data);
      data = undefined;
    } else if (line.startsWith("data:")) {
      const value = line.slice(line.charAt(5) === " " ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
    }
  }
  return found;
}
