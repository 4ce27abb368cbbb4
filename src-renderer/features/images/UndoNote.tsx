import { useTranslation } from 'react-i18next'
import { Button } from '../../shared/ui/Button.tsx'
import { useImages } from '../../stores/images.ts'
import { removedText, undoRemove } from './actions.ts'

/** Reports a deletion and offers undo, over the gallery or the lightbox. */
export function UndoNote() {
  const { t } = useTranslation('images')
  const undo = useImages((store) => (store.undoShown ? store.undo.at(-1) : undefined))
  return (
    <div role="status" className="images-undo-place">
      {undo && (
        <div className="images-undo">
          <span>{removedText(undo.length)}</span>
          <Button size="small" onClick={() => void undoRemove()}>
            {t('undo')}
          </Button>
        </div>
      )}
    </div>
  )
}
