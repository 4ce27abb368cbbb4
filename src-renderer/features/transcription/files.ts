import type { Transcript } from '../../../src-preload/contract/transcription.ts'
import { problemOf } from '../../api/problem.ts'
import { upload } from '../../api/transfer.ts'
import { i18n } from '../../i18n/index.ts'
import { routeStore } from '../../stores/route.ts'
import { isUploading, type QueuedFile, useTranscribe, withFile } from '../../stores/transcription.ts'
import { showRecording } from './actions.ts'
import { client, say } from './client.ts'
import { cancelTranscript, transcribe, useRefusals } from './requests.ts'

/** Limit of concurrent transcripts of files, because each transcript is a long upload. */
const atATime = 2

const given = new Map<string, { file: File; ended: AbortController }>()
let bringing: Promise<void> = Promise.resolve()
let asking = 0
let wake: (() => void)[] = []

/** Adds files of any type and uploads them one after another. The service decides which types it accepts. */
export function addFiles(files: readonly File[]): void {
  const { page, id: shown } = routeStore.getState().route
  // A single file opens when it is stored, unless the person has gone elsewhere. Several files are shown as a queue.
  const openFrom = files.length === 1 && page === 'transcribe' ? { shown } : null
  if (files.length > 1 && page === 'transcribe') showRecording(null)
  for (const file of files) {
    const key = crypto.randomUUID()
    given.set(key, { file, ended: new AbortController() })
    const fresh: QueuedFile = {
      key,
      name: file.name,
      bytes: file.size,
      state: 'waiting',
      sent: 0,
      problem: null,
      recordingId: null,
      transcriptId: null,
    }
    useTranscribe.setState((now) => ({ files: [...now.files, fresh] }))
    start(key, openFrom)
  }
}

/** The recording that was on the stage when a single file was added. Null: the file does not open by itself. */
type OpenFrom = { shown: string | null } | null

function start(key: string, openFrom: OpenFrom): void {
  bringing = bringing.then(() => bringUp(key, openFrom))
}

const set = (key: string, now: Partial<QueuedFile>): void => useTranscribe.setState((all) => withFile(all, key, now))
const find = (key: string): QueuedFile | undefined => useTranscribe.getState().files.find((one) => one.key === key)

async function bringUp(key: string, openFrom: OpenFrom): Promise<void> {
  const core = client()
  const one = given.get(key)
  if (!core || !one || find(key)?.state !== 'waiting') return
  const { file, ended } = one
  const { signal } = ended
  try {
    set(key, { state: 'sending', sent: 0, problem: null })
    const uploadId = await upload(core, file, { signal, onProgress: (sent) => set(key, { sent }) })
    set(key, { state: 'keeping', sent: file.size })
    const { id } = await core.transcription.addFile({ uploadId })
    given.delete(key)
    set(key, { recordingId: id })
    const { atOnce } = useTranscribe.getState()
    const { page, id: shown } = routeStore.getState().route
    if (openFrom && page === 'transcribe' && shown === openFrom.shown) showRecording(id)
    if (!atOnce || signal.aborted) return set(key, { state: 'done' })
    set(key, { state: 'asking' })
    void askInTurn(key, id)
  } catch (thrown) {
    if (!signal.aborted) set(key, { state: 'failed', problem: problemOf(thrown) })
  }
}

/** Requests the transcript of a file when fewer than `atATime` are running. */
async function askInTurn(key: string, recordingId: string): Promise<void> {
  while (asking >= atATime) await new Promise<void>((resolve) => wake.push(resolve))
  if (find(key)?.state !== 'asking') return
  asking++
  try {
    const transcript = await transcribe(recordingId)
    if (!transcript)
      return set(key, { state: 'failed', problem: useRefusals.getState().byRecording[recordingId] ?? null })
    set(key, { transcriptId: transcript.id })
    const end = transcript.state === 'making' ? await ended(recordingId, transcript.id) : transcript
    if (find(key)?.state !== 'asking') return
    if (end.state === 'failed') set(key, { state: 'failed', problem: end.problem })
    else set(key, { state: end.state === 'cancelled' ? 'cancelled' : 'done' })
  } finally {
    asking--
    for (const one of wake.splice(0)) one()
    wake = []
  }
}

/** Resolves with the result of a transcript, read from the core when the transcript is no longer running. */
function ended(recordingId: string, id: string): Promise<Pick<Transcript, 'state' | 'problem'>> {
  return new Promise((resolve) => {
    let checking = false
    const look = async (): Promise<void> => {
      if (checking || useTranscribe.getState().making[id]) return
      checking = true
      const got = await client()
        ?.transcription.get({ id: recordingId })
        .catch((thrown: unknown) => (problemOf(thrown).kind === 'no_such_item' ? null : undefined))
      checking = false
      // The core is unreachable. The next change of the store reads again.
      if (got === undefined) return
      const end = got?.transcripts.find((one) => one.id === id) ?? { state: 'cancelled' as const, problem: null }
      if (end.state === 'making') return
      stop()
      resolve(end)
    }
    const stop = useTranscribe.subscribe(() => void look())
    void look()
  })
}

/** Cancels a file in any state. A stored recording stays. */
export function cancelFile(key: string): void {
  const file = find(key)
  if (!file || !isUploading(file)) return
  given.get(key)?.ended.abort()
  set(key, { state: 'cancelled' })
  if (file.transcriptId !== null) void cancelTranscript(file.transcriptId)
  for (const one of wake.splice(0)) one()
}

/** Retries from the failed step. */
export function retryFile(key: string): void {
  const file = find(key)
  if (!file || isUploading(file)) return
  if (file.recordingId !== null) {
    set(key, { state: 'asking', problem: null, transcriptId: null })
    void askInTurn(key, file.recordingId)
    return
  }
  const one = given.get(key)
  if (!one) return
  given.set(key, { file: one.file, ended: new AbortController() })
  set(key, { state: 'waiting', sent: 0, problem: null })
  start(key, null)
}

export const clearEnded = (): void =>
  useTranscribe.setState(({ files }) => {
    for (const file of files) if (!isUploading(file)) given.delete(file.key)
    return { files: files.filter(isUploading) }
  })

/** Two sentences by a synthetic voice (Flite), to try the page without a recording. */
export async function tryExample(): Promise<void> {
  try {
    const reply = await fetch(new URL('./example.ogg', import.meta.url))
    if (!reply.ok) throw new Error(`The example could not be read (${reply.status}).`)
    addFiles([new File([await reply.blob()], i18n.t('transcribe:exampleName'), { type: 'audio/ogg' })])
  } catch (thrown) {
    say('refused', problemOf(thrown).message)
  }
}
