import { writeDocx } from './docx.ts'
import type { DocxBlock } from './docxModel.ts'

// Writes one DOCX file.
addEventListener('message', ({ data }: MessageEvent<{ title: string; blocks: DocxBlock[] }>) => {
  writeDocx(data.title, data.blocks).then(
    (blob) => postMessage({ blob }),
    (thrown: unknown) => postMessage({ failed: String(thrown) }),
  )
})
