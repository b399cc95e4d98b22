package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"time"

	"go.uber.org/zap"

	"github.com/anishathalye/porcupine"
	"go.etcd.io/etcd/tests/v3/robustness/model"
	"go.etcd.io/etcd/tests/v3/robustness/report"
	"go.etcd.io/etcd/tests/v3/robustness/validate"
)

// verdict is what is said at the end.
type verdict struct {
	// Violation is empty where etcd has kept all its promises.
	Violation    string `json:"violation"`
	Trouble      string `json:"trouble,omitempty"`
	Operations   int    `json:"operations"`
	Failed       int    `json:"failed"`
	WatchEvents  int    `json:"watchEvents"`
	Acknowledged int    `json:"acknowledged"`
	// Lost counts acknowledged writes that are in no member's log.
	Lost int `json:"lost"`
	// GapMs is the longest time without any successful write, of any client, and GapAt when it began, in milliseconds since 1970.
	GapMs float64 `json:"gapMs"`
	GapAt int64   `json:"gapAt"`
	Took  float64 `json:"took"`
}

const longest = 2 * time.Minute

func judge(told history, folders []string, mutant string) (v verdict) {
	began := time.Now()
	// Of what the validator prints beside, a person may want to know; our own line is all that is read.
	lg := zap.NewNop()
	if os.Getenv("JUDGE_LOG") != "" {
		lg, _ = zap.NewDevelopment()
	}
	defer func() { v.Took = time.Since(began).Seconds() }()
	if len(folders) == 0 {
		v.Trouble = "no member's data was found"
		return v
	}
	copies, remove, err := copyLogs(folders)
	if err != nil {
		v.Trouble = err.Error()
		return v
	}
	defer remove()
	persisted, err := report.PersistedRequests(lg, copies)
	if err != nil {
		// Logs of members that don't agree are no trouble of ours.
		v.Violation = fmt.Sprintf("the logs on disk: %v", err)
		return v
	}
	if err := falsify(told.reports, mutant); err != nil {
		v.Trouble = err.Error()
		return v
	}
	measure(told, persisted, &v)
	stdout := os.Stdout
	os.Stdout = os.Stderr
	result := validate.ValidateAndReturnVisualize(lg, validate.Config{}, told.reports, persisted, longest)
	os.Stdout = stdout
	switch status := result.Linearization.Status; {
	case result.Assumptions.Error() != nil:
		v.Trouble = "the history can't be judged: " + result.Assumptions.Error().Error()
	case status == validate.Timeout || status == validate.DeadlineExceeded:
		v.Trouble = "the history took too long to judge"
	case result.Error() != nil:
		v.Violation = result.Error().Error()
	case result.Watch.Status != validate.Success || result.Serializable.Status != validate.Success:
		v.Trouble = "watches and reads of the past were not judged: nothing was found in the logs on disk"
	}
	return v
}

func measure(told history, persisted []model.EtcdRequest, v *verdict) {
	onDisk := map[model.PutOptions]bool{}
	for _, request := range persisted {
		if request.Type != model.Txn {
			continue
		}
		for _, op := range request.Txn.AllOperations() {
			onDisk[model.PutOptions{Key: op.Put.Key, Value: op.Put.Value}] = true
		}
	}
	var writes []int64
	for _, client := range told.reports {
		v.WatchEvents += client.WatchEventCount()
		for _, op := range client.KeyValue {
			v.Operations++
			request, response := op.Input.(model.EtcdRequest), op.Output.(model.MaybeEtcdResponse)
			if response.Error != "" {
				v.Failed++
				continue
			}
			if !isWrite(request, response) {
				continue
			}
			v.Acknowledged++
			writes = append(writes, op.Return)
			for _, part := range request.Txn.OperationsOnSuccess {
				if part.Type == model.PutOperation && !onDisk[model.PutOptions{Key: part.Put.Key, Value: part.Put.Value}] {
					v.Lost++
					break
				}
			}
		}
	}
	sort.Slice(writes, func(i, j int) bool { return writes[i] < writes[j] })
	for i := 1; i < len(writes); i++ {
		if gap := float64(writes[i]-writes[i-1]) / 1e6; gap > v.GapMs {
			v.GapMs = gap
			v.GapAt = told.began.Add(time.Duration(writes[i-1])).UnixMilli()
		}
	}
}

// isWrite says whether it has put something: those that compare and fail have not.
func isWrite(request model.EtcdRequest, response model.MaybeEtcdResponse) bool {
	if request.Type != model.Txn || (response.Txn != nil && response.Txn.Failure) {
		return false
	}
	for _, part := range request.Txn.OperationsOnSuccess {
		if part.Type == model.PutOperation {
			return true
		}
	}
	return false
}

// falsify makes a record that no etcd which keeps its promises could have given.
func falsify(reports []report.ClientReport, mutant string) error {
	switch mutant {
	case "":
		return nil
	case "acknowledged":
		// A write that was never sent is said to have been acknowledged.
		for i, client := range reports {
			for at, op := range client.KeyValue {
				request, response := op.Input.(model.EtcdRequest), op.Output.(model.MaybeEtcdResponse)
				if at < len(client.KeyValue)/2 || response.Error != "" || !isWrite(request, response) {
					continue
				}
				ops := append([]model.EtcdOperation{}, request.Txn.OperationsOnSuccess...)
				for j := range ops {
					if ops[j].Type == model.PutOperation {
						ops[j].Put.Value = model.ToValueOrHash("never sent")
					}
				}
				txn := *request.Txn
				txn.OperationsOnSuccess = ops
				request.Txn = &txn
				changed := append([]porcupine.Operation{}, client.KeyValue...)
				changed[at].Input = request
				reports[i].KeyValue = changed
				return nil
			}
		}
	case "event":
		// A watch misses one event in the middle.
		for i := range reports {
			for _, watch := range reports[i].Watch {
				for j, response := range watch.Responses {
					if j > 0 && j < len(watch.Responses)-2 && len(response.Events) == 1 && len(watch.Responses[j+1].Events) > 0 {
						watch.Responses[j].Events = nil
						return nil
					}
				}
			}
		}
	}
	return fmt.Errorf("there is nothing to falsify as %q", mutant)
}

// copyLogs copies the logs of members, who may be at work: reading them may mend them.
func copyLogs(folders []string) (copies []string, remove func(), err error) {
	to, err := os.MkdirTemp("", "kurator-judge-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(to) }
	for i, folder := range folders {
		copied := filepath.Join(to, fmt.Sprintf("server-%d", i))
		from := filepath.Join(folder, "member", "wal")
		if err := copyFolder(from, filepath.Join(copied, "member", "wal")); err != nil {
			remove()
			return nil, nil, err
		}
		copies = append(copies, copied)
	}
	return copies, remove, nil
}

func copyFolder(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".wal" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(from, entry.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, entry.Name()), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
