import type { Client } from '../../api/connect.ts'
import { i18n } from '../../i18n/index.ts'
import { appStore } from '../../stores/app.ts'
import { layerStore } from '../commands/layers.ts'
import { type Command, offerCommands } from '../commands/registry.ts'
import { actionsOf, nameOf } from './builtIn.ts'
import { runAction } from './run.ts'
import { readSelection, type TextSelection } from './selection.ts'
import { hideToolbar, useTextActions } from './state.ts'

/** Command that opens the menu of actions. Its shortcut is shown in the settings. */
export const menuCommand = 'text.actions'

/** How long a selection that the palette covered counts after the palette has closed, ms. */
const paletteMs = 1000

/**
 * Follows the selection of the window, shows the toolbar beside it, and offers the commands. Nothing is sent before the person chooses an
 * action. Returns the function that ends it.
 */
export function followSelection(client: Client): () => void {
  const ended = new AbortController()
  const { signal } = ended
  /** The selection when the palette opened, because the field of the palette takes the browser's selection. */
  let covered: { selection: TextSelection | null; until: number } = { selection: null, until: 0 }
  const selected = (): TextSelection | null =>
    readSelection() ?? (performance.now() < covered.until ? covered.selection : null)

  const stopLayer = layerStore.subscribe(({ shown }, before) => {
    if (shown === 'palette') covered = { selection: readSelection(), until: Number.POSITIVE_INFINITY }
    else if (before.shown === 'palette') covered.until = performance.now() + paletteMs
  })

  const show = (): void => {
    if (!appStore.getState().app?.settings.textActionToolbar) return
    const selection = readSelection()
    if (selection) useTextActions.setState({ selection, isToolbarShown: true })
  }
  const isOurs = (target: EventTarget | null): boolean =>
    target instanceof Element && target.closest('[data-text-toolbar], [role="menu"]') !== null
  // A field has no position of its selection, so the toolbar is beside the pointer.
  const onUp = (event: PointerEvent): void => {
    if (event.button !== 0 || isOurs(event.target)) return
    // The browser changes the selection after the event.
    setTimeout(() => {
      show()
      const { selection, isToolbarShown } = useTextActions.getState()
      if (!isToolbarShown || !selection?.field) return
      const { clientX, clientY } = event
      const place = { left: clientX, right: clientX, top: clientY - 10, bottom: clientY + 10 }
      useTextActions.setState({ selection: { ...selection, place } })
    })
  }
  const onDown = (event: PointerEvent): void => {
    if (!isOurs(event.target)) hideToolbar()
  }
  const onKey = (event: KeyboardEvent): void => {
    if (!isOurs(event.target) && !['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) hideToolbar()
  }
  const onScroll = (event: Event): void => {
    if (!isOurs(event.target) && !useTextActions.getState().isMenuOpen) hideToolbar()
  }
  const capture = { capture: true, signal }
  addEventListener('pointerup', onUp, capture)
  addEventListener('pointerdown', onDown, capture)
  addEventListener('keydown', onKey, capture)
  addEventListener('scroll', onScroll, capture)
  addEventListener('resize', hideToolbar, { signal })

  const openMenu = (): void => {
    const selection = selected()
    if (selection) useTextActions.setState({ selection, isToolbarShown: true, isMenuOpen: true })
  }
  const when = (): boolean => selected() !== null
  const commands = (): Command[] => [
    {
      id: menuCommand,
      title: i18n.t('textActions:menu'),
      group: 'chat',
      keys: 'Mod+Shift+A',
      inDialogs: true,
      when,
      run: openMenu,
    },
    ...actionsOf(appStore.getState().app?.settings).map(
      (action): Command => ({
        id: `text.${action.id}`,
        title: i18n.t('textActions:command', { name: nameOf(action) }),
        group: 'chat',
        when,
        run: () => {
          const selection = selected()
          if (selection) void runAction(client, action, selection)
        },
      }),
    ),
  ]
  let stopCommands = offerCommands(commands())
  const offerAgain = (): void => {
    stopCommands()
    stopCommands = offerCommands(commands())
  }
  i18n.on('languageChanged', offerAgain)
  const stopSettings = appStore.subscribe(({ app }, before) => {
    if (app?.settings.textActions !== before.app?.settings.textActions) offerAgain()
  })
  return () => {
    ended.abort()
    stopLayer()
    stopSettings()
    i18n.off('languageChanged', offerAgain)
    stopCommands()
    hideToolbar()
  }
}
