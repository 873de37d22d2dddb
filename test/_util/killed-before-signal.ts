// A replica that makes an issuance due, and dies after the commit, before it signals other replicas. With
// `survive` as its second argument it signals them.
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent } from '@srr-gateway/common/testing/database';
import { Signals } from '../../src/store/signals.ts';
import { openStore } from '../../src/store/store.ts';
import { insertDue } from './due-issuance.ts';

const [url, fate] = process.argv.slice(2);
const database = await openDatabase({ url, dataDir: '' }, silent);
const store = await openStore(database);
// Waiters of this process are woken after the commit, and before a signal is sent.
if (fate !== 'survive') store.signals.on('due', 'issuance', () => process.kill(process.pid, 'SIGKILL'));
await store.db.transaction().execute(async (trx) => {
  await insertDue(trx);
  await Signals.send(trx, 'due', 'issuance');
});
await store.close();
await database.close();
