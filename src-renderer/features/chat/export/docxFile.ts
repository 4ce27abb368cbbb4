import { i18n } from '../../../i18n/index.ts'
import { inSlices } from '../slices.ts'
import { docxBlocks } from './docxModel.ts'
import { type ExportTask, titleOf } from './labels.ts'

/** Blocks of one message to the worker. A message is copied without a pause. */
const batch = 500

/** The messages as a DOCX file, written by a worker. @throws the signal's reason */
export async function docxFile(task: ExportTask): Promise<Blob> {
  const blocks = await docxBlocks(task)
  const { signal, conversation } = task
  const pause = inSlices(signal)
  const worker = new Worker(new URL('./docx.worker.ts', import.meta.url), { type: 'module' })
  const written = new Promise<Blob>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ blob: Blob } | { failed: string }>) => {
      if ('blob' in data) resolve(data.blob)
      else reject(new Error(`The DOCX file could not be written: ${data.failed}`))
    }
    worker.onerror = () => reject(new Error('The DOCX file could not be written.'))
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // May reject while the blocks are still being sent.
  written.catch(() => undefined)
  try {
    for (let at = 0; at < blocks.length; at += batch) {
      worker.postMessage({ blocks: blocks.slice(at, at + batch) })
      await pause()
    }
    worker.postMessage({ title: titleOf(conversation), language: i18n.language })
    return await written
  } finally {
    worker.terminate()
  }
}
