import { docxBlocks } from './docxModel.ts'
import { type ExportTask, titleOf } from './labels.ts'

/** The messages as a DOCX file, written by a worker. @throws the signal's reason */
export async function docxFile(task: ExportTask): Promise<Blob> {
  const blocks = await docxBlocks(task)
  const { signal, conversation } = task
  const worker = new Worker(new URL('./docx.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Blob>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ blob: Blob } | { failed: string }>) => {
      if ('blob' in data) resolve(data.blob)
      else reject(new Error(`The DOCX file could not be written: ${data.failed}`))
    }
    worker.onerror = () => reject(new Error('The DOCX file could not be written.'))
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    worker.postMessage({ title: titleOf(conversation), blocks })
  }).finally(() => worker.terminate())
}
