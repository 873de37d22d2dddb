import type { ReactNode } from 'react';
import { useWords } from '../words/words.ts';
import type { FieldFault } from './faults.ts';

interface FieldProps {
  id: string;
  label: string;
  value: string;
  faults: FieldFault[];
  onChange: (value: string) => void;
  inputMode?: 'decimal';
  /** The options of a select; without them it is a text field. */
  children?: ReactNode;
}

/** A field with the gateway's faults below it, which a screen reader reads with it. */
export function Field({ id, label, value, faults, onChange, inputMode, children }: FieldProps) {
  const words = useWords();
  const common = {
    id,
    value,
    'aria-invalid': faults.length > 0,
    'aria-describedby': faults.length > 0 ? `${id}-faults` : undefined,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children ? <select {...common}>{children}</select> : <input {...common} inputMode={inputMode} />}
      {value === '' && faults.length > 0 ? (
        <p id={`${id}-faults`} className="fault">
          {words.fillThisIn}
        </p>
      ) : (
        <Faults id={`${id}-faults`} faults={faults} />
      )}
    </div>
  );
}

export const Faults = ({ id, faults }: { id: string; faults: FieldFault[] }) =>
  faults.length > 0 && (
    <p id={id} className="fault" lang="en">
      {[...new Set(faults.map(({ message }) => message))].join(' ')}
    </p>
  );
