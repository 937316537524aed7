package webhook

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is what the process has taken of the machine since it started.
type Usage struct {
	CPU time.Duration // user and system
	RSS int64         // resident memory in bytes, at this moment
}

// ticksPerSecond is the unit of /proc/<pid>/stat: USER_HZ, which is 100 on
// every architecture that Go's Linux ports have.
const ticksPerSecond = 100

// Usage reads what the running process has taken.
func (w *Webhook) Usage() (Usage, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.process.PID))
	if err != nil {
		return Usage{}, fmt.Errorf("read usage: %w", err)
	}
	// The fields after the command's name, which may hold spaces: the first
	// is number 3 of proc_pid_stat(5); utime is 14, stime 15 and rss 24.
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 22 {
		return Usage{}, fmt.Errorf("read usage: %d fields", len(fields))
	}
	var numbers [3]int64
	for i, field := range []int{14, 15, 24} {
		if numbers[i], err = strconv.ParseInt(fields[field-3], 10, 64); err != nil {
			return Usage{}, fmt.Errorf("read usage: %w", err)
		}
	}
	return Usage{
		CPU: time.Duration(numbers[0]+numbers[1]) * time.Second / ticksPerSecond,
		RSS: numbers[2] * int64(os.Getpagesize()),
	}, nil
}
