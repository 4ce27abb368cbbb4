/** Texts of the page that replaces the window while the data is checked, repaired or updated at start-up. */
export const opening = {
  starting: 'Preparando seus dados…',
  checking: {
    studio: 'Verificando suas conversas e mídia…',
    ledger: 'Verificando o registro de solicitações…',
    bodies: 'Verificando as solicitações registradas…',
    account: 'Verificando os registros da conta…',
  },
  mending: {
    studio: 'Reparando suas conversas e mídia…',
    ledger: 'Reparando o registro de solicitações…',
    bodies: 'Reparando as solicitações registradas…',
    account: 'Reparando os registros da conta…',
  },
  updating: {
    studio: 'Atualizando suas conversas e mídia…',
    ledger: 'Atualizando o registro de solicitações…',
    bodies: 'Atualizando as solicitações registradas…',
    account: 'Atualizando os registros da conta…',
  },
  waiting: {
    studio: 'Aguardando: outro programa bloqueou suas conversas e mídia',
    ledger: 'Aguardando: outro programa bloqueou o registro de solicitações',
    bodies: 'Aguardando: outro programa bloqueou as solicitações registradas',
    account: 'Aguardando: outro programa bloqueou os registros da conta',
  },
  rows_one: '{{shown}} linha recuperada até agora',
  rows_many: '{{shown}} de linhas recuperadas até agora',
  rows_other: '{{shown}} linhas recuperadas até agora',
  about: {
    starting: 'O Inference Studio abre aqui automaticamente.',
    checking:
      'O Inference Studio não foi fechado corretamente da última vez, por isso todos os dados são verificados uma vez. Ele abre aqui automaticamente.',
    mending:
      'Este arquivo estava danificado. O Inference Studio recupera o que pode e mantém o arquivo danificado. Ele abre aqui automaticamente com um relatório.',
    updating: 'Isto acontece uma única vez. O Inference Studio abre aqui automaticamente.',
    waiting:
      'Um navegador de bancos de dados, um programa de backup ou outro comando está usando o arquivo. Feche-o lá. O Inference Studio abre aqui automaticamente.',
  },
  inProgress: 'Em andamento',
  stopped: 'O Inference Studio parou.',
  stoppedAbout: 'Veja o motivo no terminal. Inicie o programa de novo por lá e abra o endereço mostrado.',
}
