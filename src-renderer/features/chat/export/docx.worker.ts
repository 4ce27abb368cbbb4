import { writeDocx } from './docx.ts'
import type { DocxBlock } from './docxModel.ts'

// Writes one DOCX file: first its blocks arrive, then its title and the window's language.
const blocks: DocxBlock[] = []
addEventListener('message', ({ data }: MessageEvent<{ blocks: DocxBlock[] } | { title: string; language: string }>) => {
  if ('blocks' in data) {
    for (const block of data.blocks) blocks.push(block)
    return
  }
  writeDocx(data.title, blocks, data.language).then(
    (blob) => postMessage({ blob }),
    (thrown: unknown) => postMessage({ failed: String(thrown) }),
  )
})
