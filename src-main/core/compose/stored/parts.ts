// The threads and processes of the core, each started alone for the check of an installation. Every function starts one of them as the core
// does, gives it one job and ends it, and throws what it throws. Each imports its part
// when it is called, so that a missing file fails one check alone.

import { StudioError } from '../../errors.ts'
import type { SearchAnswer } from '../../features/library/search/finder.ts'
import type { SearchJob } from '../../features/library/search/worker.ts'
import type { PassageJob } from '../../features/projects/search/worker.ts'
import type { UsageJob } from '../../features/usage/worker.ts'
import type { Host } from '../../host.ts'
import { WorkerClient, type WorkerThread } from '../../shared/workerClient.ts'
import { databaseFile } from '../../store/store.ts'

/** How many stored messages contain `text`: 0 or 1. */
export async function foundMessages(dataDir: string, text: string): Promise<number> {
  const { startSearchWorker } = await import('../../features/library/search/worker.ts')
  const job = { text, conversationId: null, limit: 1 }
  return (await onThread<SearchJob, SearchAnswer>(() => startSearchWorker(databaseFile(dataDir)), job)).hits.length
}

/** How many passages are found in no file: 0. */
export async function foundPassages(dataDir: string, text: string): Promise<number> {
  const { startPassageWorker } = await import('../../features/projects/search/worker.ts')
  const job = { text, mediaIds: [], limit: 1 }
  return (await onThread<PassageJob, unknown[]>(() => startPassageWorker(databaseFile(dataDir)), job)).length
}

/** Resolves when the thread says that an account is unknown, which nothing else can know. */
export async function usageOfNoAccount(dataDir: string, accountId: string): Promise<void> {
  const { startUsageWorker } = await import('../../features/usage/worker.ts')
  const query = { accountId, from: '2026-01-01', to: '2026-01-02' }
  const job: UsageJob = { ask: { what: 'compare', query }, apps: [], settled: 0 }
  const answer = await onThread<UsageJob, unknown>(() => startUsageWorker(dataDir), job).catch((thrown: unknown) =>
    thrown instanceof StudioError && thrown.kind === 'no_such_item' ? null : thrown,
  )
  if (answer !== null) throw answer
}

export async function checkpoint(dataDir: string): Promise<void> {
  const { CheckpointScheduler } = await import('../../store/checkpoints.ts')
  const checkpoints = new CheckpointScheduler(databaseFile(dataDir))
  try {
    await checkpoints.passive()
  } finally {
    await checkpoints.close()
  }
}

/** Returns the size of the backup at `path`, bytes. */
export async function backup(host: Pick<Host, 'dataDir' | 'version'>, path: string): Promise<number> {
  const { startWorkerTask } = await import('../../data/workerClient.ts')
  const job = { do: 'backup' as const, dataDir: host.dataDir, version: host.version, path }
  return (await startWorkerTask(job, () => undefined).done).bytes
}

export async function openingOf(dataDir: string): Promise<void> {
  const { startOpeningWorker } = await import('../../data/opening/worker.ts')
  await onThread(startOpeningWorker, { dataDir, how: 'head' as const })
}

/** Whether the tokens of a chat request are counted. */
export async function countsTokens(request: object): Promise<boolean> {
  const { TranslationThreads } = await import('../../gateway/proxy/translationThreads.ts')
  const threads = new TranslationThreads()
  try {
    const job = { dialect: 'messages' as const, inPath: {}, bytes: Buffer.from(JSON.stringify(request)) }
    return 'tokens' in (await threads.countTokens('check', job, new AbortController().signal))
  } finally {
    await threads.terminate()
  }
}

/** The faults of each of `given` by the JSON schema. */
export async function schemaFaults(fork: Host['fork'], schema: object, given: readonly string[]): Promise<string[][]> {
  const { SchemaCheckClient } = await import('../../features/tools/schemaCheck/workerClient.ts')
  const client = new SchemaCheckClient({ fork })
  try {
    const faults: string[][] = []
    for (const one of given) faults.push([...(await client.args(JSON.stringify(schema), one))])
    return faults
  } finally {
    await client.close()
  }
}

/** The text of the document at `path`. */
export async function textOf(fork: Host['fork'], path: string, name: string): Promise<string> {
  const { DocumentConversion } = await import('../../features/documents/conversion.ts')
  const conversion = new DocumentConversion(fork)
  let text = ''
  try {
    await conversion.convert({ path, name }, (progress) => {
      if ('parts' in progress) text += progress.parts.map((part) => part.text).join('')
    })
    return text
  } finally {
    await conversion.close()
  }
}

/** Runs one job on a thread of its own. @param start as `start` of a WorkerClient */
async function onThread<Job, Result>(start: () => WorkerThread, job: Job): Promise<Result> {
  const client = new WorkerClient<Job, Result>({ name: 'check', start: async () => start() })
  try {
    return await client.run(() => job)
  } finally {
    await client.close()
  }
}
