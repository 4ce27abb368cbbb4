import './textActions.css'
import { Ellipsis, Sparkles } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../stores/app.ts'
import { useKeysOf } from '../commands/useKeys.ts'
import { useStudio } from '../studioContext.ts'
import { IconButton } from '../ui/Button.tsx'
import { LayerContext } from '../ui/layer.ts'
import { Menu, MenuItem } from '../ui/Menu.tsx'
import { returnFocus } from '../ui/returnFocus.ts'
import { actionsOf, nameOf } from './builtIn.ts'
import { followSelection, menuCommand } from './commands.ts'
import { FloatingResult } from './Result.tsx'
import { runAction } from './run.ts'
import { boxBeside, type TextSelection } from './selection.ts'
import { hideToolbar, useTextActions } from './state.ts'

/** Actions with a button of their own. The others are in the menu. */
const buttons = 3

/** Actions on selected text: the toolbar beside the selection, its menu, and the result. Mount once per window. */
export function TextActions() {
  const studio = useStudio()
  useEffect(() => followSelection(studio), [studio])
  const selection = useTextActions((state) => (state.isToolbarShown ? state.selection : null))
  return (
    <>
      {selection && <Toolbar key={keyOf(selection)} selection={selection} />}
      <FloatingResult />
    </>
  )
}

const keyOf = ({ place: { left, top }, text }: TextSelection): string => `${left} ${top} ${text.length}`

function Toolbar({ selection }: { selection: TextSelection }) {
  const { t } = useTranslation('textActions')
  const studio = useStudio()
  const settings = useApp(({ app }) => app?.settings)
  const isMenuOpen = useTextActions((state) => state.isMenuOpen)
  const keys = useKeysOf(menuCommand)
  const box = useRef<HTMLDivElement>(null)
  const [position, setPosition] = useState<{ left: number; top: number } | null>(null)
  useLayoutEffect(() => {
    const { current } = box
    if (!current) return
    const { width, height } = current.getBoundingClientRect()
    setPosition(boxBeside(selection.place, { width, height }, { width: innerWidth, height: innerHeight }, 'above'))
  }, [selection])
  // The menu takes the focus. Afterwards it returns to where the person was.
  const [before] = useState(() => document.activeElement)
  const layer = selection.layer ?? document.body
  const actions = actionsOf(settings)
  const run = (at: number): void => {
    const action = actions[at]
    if (action) void runAction(studio, action, selection)
  }
  return createPortal(
    <LayerContext value={selection.layer}>
      <div
        ref={box}
        role="toolbar"
        aria-label={t('actions')}
        data-text-toolbar
        className="text-toolbar"
        style={position ?? { left: 0, top: 0, visibility: 'hidden' }}
        // The selection and the focus stay where they are.
        onPointerDown={(event) => event.preventDefault()}
        onMouseDown={(event) => event.preventDefault()}
      >
        {actions.slice(0, buttons).map((action, at) => (
          <button key={action.id} type="button" tabIndex={-1} className="text-toolbar-action" onClick={() => run(at)}>
            {nameOf(action)}
          </button>
        ))}
        <Menu
          align="start"
          open={isMenuOpen && position !== null}
          onOpenChange={(open) => {
            if (open) useTextActions.setState({ isMenuOpen: true })
            else hideToolbar()
          }}
          onCloseAutoFocus={(event) => {
            // A result that has just opened takes the focus.
            returnFocus(event, () => (!useTextActions.getState().run && before instanceof HTMLElement ? before : null))
          }}
          trigger={
            <IconButton
              icon={Ellipsis}
              size="small"
              tabIndex={-1}
              label={t('more')}
              {...(keys === '' ? {} : { shortcut: keys })}
            />
          }
        >
          {actions.map((action, at) => (
            <MenuItem key={action.id} icon={Sparkles} label={nameOf(action)} onSelect={() => run(at)} />
          ))}
        </Menu>
      </div>
    </LayerContext>,
    layer,
  )
}
