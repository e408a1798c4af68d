/** Every requirement and every reported fault that is named has a test, by the tables; a test that is gone is missed here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as gateAndReview from './gate-and-review.ts';
import * as hostile from './hostile.ts';
import * as planMode from './plan-mode.ts';
import { findProof, type Proof } from './proof.ts';

interface Table {
  readonly what: string;
  readonly proofs: Readonly<Record<string, readonly Proof[]>>;
  readonly ids: readonly (string | number)[];
}

const tables: readonly Table[] = [
  {
    what: 'failure case of the gate and the review',
    proofs: gateAndReview.failureCases,
    ids: [
      ...[
        37, 39, 40, 41, 42, 43, 44, 46, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 61, 62, 63, 64, 65, 66, 67, 68,
      ],
      ...[70, 71, 72, 74, 105, 106, 107, 108, 110],
    ],
  },
  {
    what: 'requirement of the gate and the review',
    proofs: gateAndReview.requirements,
    ids: [
      ...[
        'S10',
        'S11',
        'S12',
        'S13',
        'S14',
        'S15',
        'S16',
        'S17',
        'S18',
        'S57',
        'S58',
        'S60',
        'S61',
        'S62',
        'S63',
        'S64',
      ],
      ...['S65', 'S66', 'S67', 'S68', 'S69', 'S70', 'S71', 'S72', 'S73', 'S74', 'S75', 'S76', 'S77'],
    ],
  },
  {
    what: 'failure case of plan mode',
    proofs: planMode.failureCases,
    ids: [
      ...[1, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 124, 126, 127, 128, 129, 131, 132, 133, 134, 135],
      ...[137, 138, 139, 140, 141, 142, 143, 144, 145, 146],
    ],
  },
  {
    what: 'requirement of plan mode',
    proofs: planMode.requirements,
    ids: [
      ...['S24', 'S25', 'S26', 'S27', 'S28', 'S29', 'S30', 'S34', 'S35', 'S36', 'S37', 'S38'],
      ...['R39', 'R40', 'R41'],
    ],
  },
  {
    what: 'failure case of a turned model and hostile people',
    proofs: hostile.failureCases,
    ids: [
      ...[
        34, 36, 75, 76, 77, 79, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 98, 99, 100, 102, 103,
      ],
      ...[147, 149, 150, 151, 152, 153, 155, 156, 157, 158, 160, 162, 163],
    ],
  },
  {
    what: 'requirement against a turned model and hostile people',
    proofs: hostile.requirements,
    ids: [
      ...['S1', 'S2', 'S3', 'S4', 'S5', 'S6', 'S7', 'S8', 'S9', 'S19', 'S20', 'S21', 'S22', 'S23', 'S31', 'S32', 'S33'],
      ...[
        'S39',
        'S40',
        'S41',
        'S42',
        'S43',
        'S44',
        'S45',
        'S46',
        'S47',
        'S48',
        'S49',
        'S50',
        'S51',
        'S52',
        'S53',
        'S54',
        'S55',
        'S56',
      ],
      ...['S59', 'S78', 'S79', 'S80', 'S81', 'S82', 'S83', 'S84', 'S85', 'S86'],
    ],
  },
];

for (const { what, proofs, ids } of tables) {
  test(`every ${what} that is named has a test, and no other is in the table`, () => {
    assert.deepEqual(Object.keys(proofs).toSorted(), ids.map(String).toSorted());
  });

  for (const [id, wanted] of Object.entries(proofs)) {
    test(`${what}: ${id} is shown by tests that are there`, () => {
      assert.ok(wanted.length > 0);
      const missing = wanted.filter((proof) => !findProof(proof));
      assert.deepEqual(missing, []);
    });
  }
}
