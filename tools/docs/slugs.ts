/** The ids of a page's headings, as code hosts give them: `## One, two` is `one-two`, a second one `one-two-1`. */
export function slugger(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const plain = heading.replaceAll(/[`*]/g, "").toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
    const count = seen.get(plain) ?? 0;
    seen.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  };
}
