// Two conveniences on top of plain forms: choosing lines in place, and saying that a page is no longer up to date.
const POLL_MS = 5000;

function placeForm(row, path) {
  const template = document.getElementById('comment-template');
  const form = document.getElementById('comment-form') ?? template.content.firstElementChild.cloneNode(true);
  const wrapper = form.closest('tr.below.mine');
  const below = wrapper ?? document.createElement('tr');
  if (wrapper === null) {
    below.className = 'below mine';
    below.innerHTML = '<td colspan="4"></td>';
    below.firstElementChild.append(form);
  }
  row.after(below);
  form.elements.path.value = path;
  form.elements.side.value = row.dataset.side;
  const cancel = form.querySelector('.cancel');
  cancel.hidden = false;
  cancel.onclick = () => {
    below.remove();
    markRange(null);
  };
  return form;
}

function markRange(form) {
  for (const row of document.querySelectorAll('tr.chosen')) row.classList.remove('chosen');
  if (form === null) return;
  const from = Number(form.elements.startLine.value || form.elements.line.value);
  const to = Number(form.elements.line.value);
  const table = form.closest('table');
  for (const row of table.querySelectorAll(`tr[data-side="${form.elements.side.value}"]`)) {
    const number = Number(row.dataset.number);
    row.classList.toggle('chosen', number >= from && number <= to);
  }
}

let anchor = null;

document.addEventListener('click', (event) => {
  const pick = event.target.closest('a.pick');
  if (pick === null || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const row = pick.closest('tr');
  const table = row.closest('table');
  const extendsRange =
    event.shiftKey && anchor !== null && anchor.closest('table') === table && anchor.dataset.side === row.dataset.side;
  if (!extendsRange) anchor = row;
  const numbers = [Number(anchor.dataset.number), Number(row.dataset.number)].toSorted((one, other) => one - other);
  const last = numbers[1] === Number(row.dataset.number) ? row : anchor;
  const form = placeForm(last, table.dataset.path);
  form.elements.startLine.value = numbers[0];
  form.elements.line.value = numbers[1];
  markRange(form);
  form.elements.body.focus();
});

document.addEventListener('input', (event) => {
  const form = event.target.closest('form.comment-form');
  if (form?.closest('table') && event.target.type === 'number') markRange(form);
});

const news = document.getElementById('news');

async function look() {
  if (document.visibilityState !== 'visible') return;
  const response = await fetch(news.dataset.url);
  if (response.ok && (await response.text()) !== news.dataset.version) news.firstElementChild.hidden = false;
}

if (news !== null) setInterval(() => look().catch(() => undefined), POLL_MS);
