/** The objects of a soak. */
import type { Client } from "../../test/https.ts";
import { expect } from "./client.ts";

/** Clients write here. */
export const namespace = "default";

/** A list that does not change, of about 2 MB. */
const longNamespace = "long", longCount = 2_000;
export const longList = Object.freeze({ path: `/api/v1/namespaces/${longNamespace}/configmaps`, count: longCount });

const writersAtOnce = 8;

export async function createLongList(client: Client): Promise<void> {
  const create = async (path: string, body: object) => {
    const { status, text } = await client.ask(path, { method: "POST", body });
    expect(status === 201, `a creation was answered with ${status}: ${text}`);
  };
  await create("/api/v1/namespaces", { metadata: { name: longNamespace } });
  let next = 0;
  const text = "Each object of this list has some text that compresses well. ".repeat(15);
  await Promise.all(Array.from({ length: writersAtOnce }, async () => {
    while (next < longCount) await create(longList.path, { metadata: { name: `item-${next++}` }, data: { text, number: String(next) } });
  }));
}
