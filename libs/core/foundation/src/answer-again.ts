/**
 * What `create` answers or, if it fails, what the same call was answered before: what it depends on beside its input may
 * have changed since (the time, a status, the configuration), and the caller still has to learn that the first call
 * succeeded.
 */
export async function answerAgain<Answer extends object>(
  create: () => Promise<Answer>,
  recall: () => Promise<Answer | undefined>,
): Promise<Answer> {
  try {
    return await create();
  } catch (error) {
    const earlier = await recall();
    if (earlier === undefined) throw error;
    return earlier;
  }
}
