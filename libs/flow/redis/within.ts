/** The answer of a call, if it comes in time; a command that was given up may still be done. */
export function within<T>(timeoutMs: number, call: Promise<T>): Promise<T> {
  // One promise and no race: permits cost two of these each.
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`Redis did not answer within ${timeoutMs} ms`));
    // Where this process was too busy to read, the answer may be there already: it is looked for once more.
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
    call.then(
      (answer) => {
        clearTimeout(timer);
        resolve(answer);
      },
      (error: Error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
