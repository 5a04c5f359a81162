export async function run(): Promise<number> {
  return await Promise.resolve(1);
}
