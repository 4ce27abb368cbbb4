import { PanelRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { preview } from '../../i18n/en/preview.ts'
import { useMarkdownHost } from './context.ts'

interface PreviewedBlock {
  language: string
  pieces: readonly string[]
  open: boolean
}

/** Opens the preview of a block, where the page can show it. */
export function PreviewTool(block: PreviewedBlock) {
  const { t } = useTranslation('preview')
  const found = usePreviewOf(block)
  if (!found) return null
  return (
    <button
      type="button"
      className="md-tool md-worded"
      data-preview={found.kind}
      title={t('openTitle')}
      onClick={(event) => found.open(event.currentTarget)}
    >
      <PanelRight aria-hidden /> {t('open')}
    </button>
  )
}

/** The same at the end of a long block, where its beginning may be out of sight. */
export function PreviewOffer(block: PreviewedBlock) {
  const { t } = useTranslation('preview')
  const found = usePreviewOf(block)
  if (!found) return null
  const kind = t(`kinds.${found.kind as keyof typeof preview.kinds}`)
  return (
    <div className="md-offer">
      <span>{t('offerText', { count: lineCount(block.pieces), kind })}</span>
      <button type="button" onClick={(event) => found.open(event.currentTarget)}>
        <PanelRight aria-hidden /> {t('offer')}
      </button>
    </div>
  )
}

function usePreviewOf({ language, pieces, open }: PreviewedBlock) {
  const { preview } = useMarkdownHost()
  const kind = preview?.kindOf(language, pieces[0] ?? '') ?? null
  if (!preview || kind === null) return null
  return { kind, open: (from: HTMLElement) => preview.open({ language, text: pieces.join(''), open }, from) }
}

/** Number of lines of a block's pieces. */
export function lineCount(pieces: readonly string[]): number {
  let count = 0
  for (const piece of pieces) {
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) count++
  }
  return pieces.at(-1)?.endsWith('\n') === false ? count + 1 : count
}
