import { useTranslation } from 'react-i18next'
import { useShallow } from 'zustand/react/shallow'
import type { AttachedDocument } from '../../../../../src-preload/contract/documents.ts'
import { joinSentences, showSc } from '../../../../i18n/format.ts'
import { Button } from '../../../../shared/ui/Button.tsx'
import { WithSc } from '../../../../shared/ui/WithSc.tsx'
import { modelsToAsk, useChat } from '../../../../stores/chat.ts'
import { useModelFacts } from '../../../../stores/modelFacts.ts'
import { draftPictures, maxPictures } from '../../composer/draftPictures.ts'
import type { DraftDocument } from '../draftDocuments.ts'
import { costOfPictures } from './cost.ts'
import { stopDrawing, useDrawings } from './drawings.ts'
import { pagesToDraw, sendAsImages, tokensOfPicture } from './scans.ts'

interface ScannedPagesProps {
  draft: string
  document: DraftDocument
  stored: AttachedDocument
}

/** Offers to send the pages of a document without text as images, with their estimated cost. Nothing is added before a click. */
export function ScannedPages({ draft, document, stored }: ScannedPagesProps) {
  const { t } = useTranslation('documents')
  const { key, scanned } = document
  const drawing = useDrawings((state) => state.byKey[key])
  const free = maxPictures - draftPictures.useItems(draft).length
  const { pages, all } = pagesToDraw(scanned, stored, free)
  if (all === 0) return null
  const send = (): void => void sendAsImages(draft, document, pages)
  if (drawing?.state === 'drawing') {
    return (
      <div className="chat-document-scans">
        <span role="status">{t('scans.drawing', { page: drawing.done + 1, all: drawing.all })}</span>
        <Button onClick={() => stopDrawing(key)}>{t('scans.stop')}</Button>
      </div>
    )
  }
  return (
    <div className="chat-document-scans">
      {drawing?.state === 'failed' ? (
        <span data-bad role="alert">
          {t('scans.failed', { page: drawing.page })}
        </span>
      ) : (
        <span>{t('scans.offer', { count: all })}</span>
      )}
      {pages.length > 0 && <Cost pictures={pages.length} />}
      {pages.length < all && <span>{t(pages.length > 0 ? 'scans.limit' : 'scans.full', { most: maxPictures })}</span>}
      {pages.length > 0 && (
        <Button onClick={send}>{drawing ? t('scans.retry') : t('scans.send', { count: pages.length })}</Button>
      )}
    </div>
  )
}

/** The estimated tokens of pictures, and their cost with the models of the next message. */
function Cost({ pictures }: { pictures: number }) {
  const { t } = useTranslation('documents')
  const models = useChat(useShallow(modelsToAsk))
  const facts = useModelFacts((state) => state.facts)
  const tokens = pictures * tokensOfPicture
  const cost = costOfPictures(pictures, models, facts)
  const words = { count: tokens, each: tokensOfPicture }
  return (
    <span>
      <WithSc
        text={joinSentences([
          t('scans.tokens', words),
          cost.kind === 'cost' && t('scans.cost', { amount: showSc(cost.amount) }),
          cost.kind === 'noPrice' && t('scans.noPrice', { count: models.length }),
          cost.kind === 'noModel' && t('scans.noModel'),
        ])}
      />
    </span>
  )
}
