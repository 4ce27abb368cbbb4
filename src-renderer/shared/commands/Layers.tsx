import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/Dialog.tsx'
import { closeLayer, useLayer } from './layers.ts'
import { Palette } from './Palette.tsx'
import { ShortcutList } from './ShortcutList.tsx'

/** The palette and the list of shortcuts, over every page. */
export function CommandLayers() {
  const { t } = useTranslation('palette')
  const shown = useLayer()
  return (
    <>
      <Palette />
      <Dialog
        open={shown === 'shortcuts'}
        onClose={() => closeLayer('shortcuts')}
        title={t('shortcuts')}
        about={t('shortcutsAbout')}
        width="wide"
      >
        <ShortcutList />
      </Dialog>
    </>
  )
}
