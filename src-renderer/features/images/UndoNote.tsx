import { useTranslation } from 'react-i18next'
import { Button } from '../../shared/ui/Button.tsx'
import { useImages } from '../../stores/images.ts'
import { removedText, undoRemove } from './actions.ts'

/** Says what was deleted and offers the way back, where the eyes are: over the gallery, or over the lightbox. */
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
