import { i18n } from '../../i18n/index.ts'
import { type Command, offerTranslatedCommands } from '../../shared/commands/registry.ts'
import { sections, usageStore } from '../../stores/usage.ts'
import * as actions from './actions.ts'
import { choose } from './subscriptions.ts'

const title = (key: keyof typeof import('../../i18n/en/usage.ts')['usage']['commands']): string =>
  i18n.t(`usage:commands.${key}`)

const answered = (): boolean => usageStore.getState().answer !== null

function commands(): Command[] {
  const focusSearch = () => document.querySelector<HTMLElement>('.usage-search input')?.focus()
  const here: Command[] = [
    { id: 'usage.refresh', title: title('refresh'), group: 'usage', run: () => void actions.refresh() },
    {
      id: 'usage.table',
      title: title('table'),
      group: 'usage',
      when: answered,
      run: () => choose({ table: !usageStore.getState().choice.table }),
    },
    {
      id: 'usage.csv',
      title: title('csv'),
      group: 'usage',
      keys: 'Mod+S',
      when: answered,
      run: () => void actions.saveTable('csv'),
    },
    {
      id: 'usage.print',
      title: title('print'),
      group: 'usage',
      keys: 'Mod+P',
      when: answered,
      run: actions.print,
    },
    { id: 'usage.search', title: title('search'), group: 'usage', keys: 'Mod+F', when: answered, run: focusSearch },
  ]
  return [
    ...here.map((command): Command => ({ ...command, page: 'usage' })),
    ...sections.map(
      (section): Command => ({
        id: `usage.${section}`,
        title: title(section),
        group: 'usage',
        run: () => actions.goToSection(section),
      }),
    ),
  ]
}

/** Registers the commands, and registers them again when the language changes. Returns the function that removes them. */
export const offerUsageCommands = (): (() => void) => offerTranslatedCommands(commands)
