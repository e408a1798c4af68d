/** Orders two ISO 8601 times of GitHub: negative where the first is earlier, 0 for the same second. */
export function compareTimes(a: string, b: string): number {
  return Date.parse(a) - Date.parse(b);
}
